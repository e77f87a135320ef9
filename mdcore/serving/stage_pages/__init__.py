"""The pages built on the stage, each with its first picture and its own charts."""
