"""Reference: what every method computes."""

from mdcore.ui.frame import require_frame
from mdcore.ui.reference import choose_method, show

require_frame()
show(choose_method())
