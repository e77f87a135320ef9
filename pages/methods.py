"""Reference: what every method computes."""

from mdcore.ui.frame import close_up, name_page, require_frame
from mdcore.ui.pages.reference import choose_method, show

require_frame()
name_page("Methods")
close_up()
show(choose_method())
