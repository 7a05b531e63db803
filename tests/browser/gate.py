"""A gate between a page and the server."""

from playwright.sync_api import Page, WebSocketRoute


class Gate:
    """Holds back what a page tells the server, from a moment on until it is opened."""

    def __init__(self, page: Page) -> None:
        self.is_shut = False
        self._held: list[tuple[WebSocketRoute, bytes | str]] = []
        page.route_web_socket("**/_stcore/stream", self._join)
        # What comes ahead of the server's answer may take its time.
        page.add_init_script("AbortSignal.timeout = () => new AbortController().signal")

    def _join(self, socket: WebSocketRoute) -> None:
        server = socket.connect_to_server()
        socket.on_message(lambda message: self._pass(server, message))

    def _pass(self, server: WebSocketRoute, message: bytes | str) -> None:
        if self.is_shut:
            self._held.append((server, message))
        else:
            server.send(message)

    @property
    def n_held(self) -> int:
        """How many messages are held back."""
        return len(self._held)

    def let_one_through(self) -> None:
        server, message = self._held.pop(0)
        server.send(message)

    def open(self) -> None:
        self.is_shut = False
        for server, message in self._held:
            server.send(message)
        self._held.clear()
