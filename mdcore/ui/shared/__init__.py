"""What every page uses: charts, downloads, jobs, addresses, words."""
