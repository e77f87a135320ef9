"""HTTP without a Streamlit session: the app's own routes, and the middleware of all requests.

app.py reads MIDDLEWARE and LIFESPAN once. The middleware is plain ASGI, because Starlette's
`BaseHTTPMiddleware` buffers an event stream until its end. Streamlit's protection does not cover these routes: each
checks its callers itself.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from starlette.middleware import Middleware

from mdcore.serving.web.exports import EXPORTS
from mdcore.serving.web.join import JOIN
from mdcore.serving.web.leaving import graceful_shutdown
from mdcore.serving.web.lessons import LESSONS
from mdcore.serving.web.limits import Limits
from mdcore.serving.web.modules import MODULES, OwnRoutes, Preload
from mdcore.serving.web.presenter import PRESENT
from mdcore.serving.web.security import SecurityHeaders
from mdcore.serving.web.supervision import SUPERVISION
from mdcore.serving.web.warm_up import prepare_process
from mdcore.ui.web.pictures import PICTURES
from mdcore.ui.web.tuning_stream import TUNING
from mdcore.ui.workarounds.nodelay import send_at_once
from mdcore.ui.workarounds.own_address import OwnAddress, with_address
from mdcore.ui.workarounds.pages_manager import run_pages_in_the_frame
from mdcore.ui.workarounds.reaper import reaping
from mdcore.ui.workarounds.returning import run_the_whole_page_first
from mdcore.ui.workarounds.server import component_scripts, streamlit_page
from mdcore.ui.workarounds.uploads import keep_uploads_in_memory, largest_upload, uploaded_bytes

ROUTES = [*PICTURES, *TUNING, *MODULES, *SUPERVISION, *EXPORTS, *LESSONS, *JOIN, *PRESENT]
# The first is the outermost.
MIDDLEWARE = [
    Middleware(SecurityHeaders, page=with_address(streamlit_page())),
    Middleware(Limits, own=ROUTES, held=uploaded_bytes, largest=largest_upload),
    Middleware(OwnRoutes, routes=ROUTES),
    Middleware(Preload, scripts=component_scripts()),
    Middleware(OwnAddress),
]


@asynccontextmanager
async def LIFESPAN(app: Any) -> AsyncIterator[None]:  # noqa: N802 - a constant of app.py
    """Run from the server's start to its end."""
    run_pages_in_the_frame()
    keep_uploads_in_memory()
    run_the_whole_page_first()
    send_at_once()
    prepare_process()
    async with reaping(app), graceful_shutdown():
        yield


__all__ = ["LIFESPAN", "MIDDLEWARE"]
