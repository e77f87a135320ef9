"""Reference: what every method computes."""

from mdcore.ui.frame import close_up, require_frame
from mdcore.ui.reference import choose_method, show

require_frame()
close_up()
show(choose_method())
