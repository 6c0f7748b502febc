"""The papers that the stand-ins know, how they are stored and searched, and the dumps made of them."""
