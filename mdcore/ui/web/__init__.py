"""What the server answers without a Streamlit session: routes of our own, and what every request passes through.

Both are lists, read by app.py once. Middleware is plain ASGI: Starlette's `BaseHTTPMiddleware` keeps a stream of events
back until its end. Streamlit protects none of these routes: each looks after its own callers.
"""

from starlette.middleware import Middleware

from mdcore.ui.web.health import HEALTH
from mdcore.ui.web.security import SecurityHeaders

ROUTES = [HEALTH]
MIDDLEWARE = [Middleware(SecurityHeaders)]  # the first is the outermost

__all__ = ["MIDDLEWARE", "ROUTES"]
