"""Load tests of one server: sessions without a browser, real browsers, and heavy computations at the same time."""
