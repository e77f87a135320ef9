"""What reruns the papers: their protocols, tables and figures."""
