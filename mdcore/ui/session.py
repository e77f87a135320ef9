"""What the pages know of each other: names in the state of a session."""

DRAWN = "stage drawn"  # the scene.Drawn that the stage shows, or showed last
QUERY = "stage query"  # what the stage is asked for, or was asked for last
TAKE_OVER = "compare takes over"  # set: Compare is to begin with what the stage shows

PLAYGROUND, COMPARE = "pages/playground.py", "pages/compare.py"
