#!/bin/sh
# The image is read-only, so the compiled code is copied to where numba may write, and loaded from there.
set -eu
if [ -d /compiled ] && [ ! -d "$NUMBA_CACHE_DIR" ]; then
    cp -rp /compiled "$NUMBA_CACHE_DIR"
fi
exec streamlit run app.py --server.address 0.0.0.0 --server.port 8501 "$@"
