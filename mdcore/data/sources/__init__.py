"""Where data come from: generated, bundled, OpenML, a folder of files, and the papers' sets."""
