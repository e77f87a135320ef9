"""The Online page: learners side by side, the paper's learning curves and its Table 1."""
