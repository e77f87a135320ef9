"""What the pages know of each other: names in the state of a session."""

DRAWN = "stage drawn"  # the scene.Drawn that the stage shows, or showed last
FIRST = "stage first query"  # what the stage begins with when it is opened
