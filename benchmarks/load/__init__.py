"""How many people one server holds: sessions without a browser, real browsers, and heavy work beside them."""
