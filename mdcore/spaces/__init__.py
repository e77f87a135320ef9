"""What methods are fitted on: kernels, their matrices, landmarks in place of all rows, and what a fit costs."""
