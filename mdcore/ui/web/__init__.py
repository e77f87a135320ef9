"""What the server answers without a Streamlit session: routes of our own, and what every request passes through.

Read by app.py once; LIFESPAN goes on beside the server from its start to its end. Middleware is plain ASGI: Starlette's
`BaseHTTPMiddleware` keeps a stream of events back until its end. Streamlit protects none of these routes: each looks
after its own callers.
"""

from starlette.middleware import Middleware

from mdcore.ui.web.health import HEALTH
from mdcore.ui.web.metrics import METRICS
from mdcore.ui.web.security import SecurityHeaders
from mdcore.ui.workarounds.reaper import reaping

ROUTES = [HEALTH, METRICS]
MIDDLEWARE = [Middleware(SecurityHeaders)]  # the first is the outermost
LIFESPAN = reaping

__all__ = ["LIFESPAN", "MIDDLEWARE", "ROUTES"]
