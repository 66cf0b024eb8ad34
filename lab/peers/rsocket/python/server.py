"""server.py NAME…: the routes of ../README.md on rsocket 0.4.20; listeners tcp, ws, lease, frag, fragws."""
import asyncio
import logging
import sys
from collections import Counter, deque
from datetime import timedelta

import cbor2
from aiohttp import web
from reactivestreams.publisher import Publisher
from reactivestreams.subscriber import Subscriber
from reactivestreams.subscription import Subscription
from rsocket.error_codes import ErrorCode
from rsocket.exceptions import RSocketProtocolError
from rsocket.extensions.helpers import require_route
from rsocket.helpers import create_error_future, create_future
from rsocket.lease import SingleLeasePublisher
from rsocket.payload import Payload
from rsocket.request_handler import BaseRequestHandler
from rsocket.rsocket_server import RSocketServer
from rsocket.transports.aiohttp_websocket import websocket_handler_factory
from rsocket.transports.tcp import TransportTCP
from service import answer, pattern

counts = Counter()


class Source(Publisher, Subscription):
    """Sends count items as far as they are asked for, the last one together with the end."""

    def __init__(self, count, item, failing=False):
        self.left, self.item, self.failing = count, item, failing
        self.over = False

    def subscribe(self, subscriber):
        self.to = subscriber
        subscriber.on_subscribe(self)

    def request(self, n):
        while n > 0 and self.left > 0 and not self.over:
            n, self.left = n - 1, self.left - 1
            self.over = self.left == 0 and not self.failing
            self.to.on_next(Payload(self.item), self.over)
        if self.over or self.left > 0:
            return
        self.over = True
        if self.failing:
            self.to.on_error(RuntimeError("planted"))
        else:
            self.to.on_complete()

    def cancel(self):
        self.over = True


class Never(Publisher, Subscription):
    """A stream without items that counts its cancellation."""

    def subscribe(self, subscriber):
        subscriber.on_subscribe(self)

    def request(self, n):
        pass

    def cancel(self):
        counts["cancels"] += 1


class Channel(Publisher, Subscription, Subscriber):
    """Answers each message with one, when the requester has asked for it."""

    def __init__(self, reply, first):
        self.reply, self.waiting = reply, deque([first])
        self.credit, self.ended, self.over = 0, False, False
        self.to = None

    def subscribe(self, subscriber):
        self.to = subscriber
        subscriber.on_subscribe(self)

    def request(self, n):
        self.credit += n
        self.drain()

    def cancel(self):
        self.over = True

    def on_subscribe(self, subscription):
        subscription.request(0x7FFFFFFF)

    def on_next(self, value, is_complete=False):
        self.waiting.append(value)
        self.ended = self.ended or is_complete
        self.drain()

    def on_complete(self):
        self.ended = True
        self.drain()

    def on_error(self, exception):
        self.over = True

    def drain(self):
        while not self.over and self.credit > 0 and self.waiting:
            self.credit -= 1
            self.to.on_next(Payload(self.reply(self.waiting.popleft().data or b"")))
        if self.ended and not self.over and not self.waiting:
            self.over = True
            self.to.on_complete()


def typed(data):
    return cbor2.dumps(answer(cbor2.loads(data)))


def never():
    """A reply that does not come; its cancellation is counted."""
    future = asyncio.get_running_loop().create_future()
    future.add_done_callback(lambda f: counts.update(cancels=f.cancelled()))
    return future


def coded(data):
    code = int(data, 16)
    if code not in {c.value for c in ErrorCode}:  # the library has no way to send one that it does not list
        return RuntimeError("planted " + data.decode())
    return RSocketProtocolError(ErrorCode(code), data="planted " + data.decode())


def told():
    return "notes=%d pushes=%d cancels=%d" % (counts["notes"], counts["pushes"], counts["cancels"])


class Handler(BaseRequestHandler):
    def route(self, payload):
        return require_route(self._parse_composite_metadata(payload.metadata))

    async def request_response(self, payload):
        route, data = self.route(payload), payload.data or b""
        if route == "never":
            return never()
        if route == "fail":
            return create_error_future(RuntimeError("planted"))
        if route == "err":
            return create_error_future(coded(data))
        replies = {
            "inventory.check": lambda: Payload(typed(data)),
            "echo": lambda: Payload(data),
            "empty": lambda: Payload(None),
            "big": lambda: Payload(pattern(int(data))),
            "counts": lambda: Payload(told().encode()),
        }
        if route not in replies:
            return create_error_future(RuntimeError("no route '%s'" % route))
        return create_future(replies[route]())

    async def request_stream(self, payload):
        route, data = self.route(payload), payload.data or b""
        if route == "items":
            words = data.decode().split(" ")
            return Source(int(words[0]), pattern(int(words[1])), len(words) > 2)
        if route == "inventory.watch":
            return Source(cbor2.loads(data)["quantity"], typed(data))
        if route == "nevers":
            return Never()
        raise RuntimeError("no stream '%s'" % route)

    async def request_channel(self, payload):
        route = self.route(payload)
        replies = {"chan": lambda data: data, "inventory.checks": typed}
        if route not in replies:
            raise RuntimeError("no channel '%s'" % route)
        channel = Channel(replies[route], payload)
        return channel, channel

    async def request_fire_and_forget(self, payload):
        counts["notes"] += self.route(payload) == "note"

    async def on_metadata_push(self, payload):
        counts["pushes"] += 1


def settings(name):
    s = {"handler_factory": Handler}
    if name.startswith("frag"):
        s["fragment_size_bytes"] = 64
    if name == "lease":  # it sends one lease and enforces nothing
        s["lease_publisher"] = SingleLeasePublisher(maximum_request_count=5, maximum_lease_time=timedelta(seconds=60))
    return s


async def listen(name):
    if name.endswith("ws"):
        app = web.Application()
        app.router.add_get("/{path:.*}", websocket_handler_factory(**settings(name)))
        runner = web.AppRunner(app)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        port = runner.addresses[0][1]
    else:
        server = await asyncio.start_server(lambda r, w: RSocketServer(TransportTCP(r, w), **settings(name)), "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        kept.append(server)
    print("%s 127.0.0.1:%d" % (name, port), flush=True)


kept = []


async def main():
    for name in sys.argv[1:]:
        await listen(name)
    print("ready", flush=True)
    await asyncio.Event().wait()


logging.disable(logging.CRITICAL)  # a traceback for every failed request otherwise
asyncio.run(main())
