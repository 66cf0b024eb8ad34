"""client.py URL [OPTION=VALUE…]: the steps of standard input with rsocket 0.4.20."""
import asyncio
import hashlib
import logging
import sys
from datetime import timedelta
from urllib.parse import urlsplit

from reactivestreams.publisher import Publisher
from reactivestreams.subscriber import DefaultSubscriber
from reactivestreams.subscription import Subscription
from rsocket.exceptions import RSocketProtocolError
from rsocket.extensions.helpers import composite, route
from rsocket.extensions.mimetypes import WellKnownMimeTypes
from rsocket.helpers import single_transport_provider
from rsocket.payload import Payload
from rsocket.rsocket_client import RSocketClient
from rsocket.transports.aiohttp_websocket import TransportAioHttpClient
from rsocket.transports.tcp import TransportTCP
from service import pattern

PATIENCE = 60
UNBOUNDED = 0x7FFFFFFF


class Step:
    """One line: KIND ROUTE DATA [OPTION=VALUE…]. In text a blank is written as an underscore."""

    def __init__(self, line):
        self.kind, self.route, spec, *rest = line.split(" ")
        self.options = dict(word.split("=", 1) for word in rest)
        if spec.startswith("size:"):
            self.data = pattern(int(spec[5:]))
        elif spec.startswith("hex:"):
            self.data = bytes.fromhex(spec[4:])
        else:
            self.data = b"" if spec == "-" else spec[5:].replace("_", " ").encode()

    def number(self, option, otherwise):
        return int(self.options.get(option, otherwise))

    def payload(self):
        return asked(self.route, self.data)


def asked(name, data):
    return Payload(data, composite(route(name)))


class Collected(DefaultSubscriber):
    """Reads to the end, to an error, or takes some items and cancels."""

    def __init__(self, take=0, credit=UNBOUNDED):
        super().__init__()
        self.take, self.credit = take, credit
        self.items = self.bytes = 0
        self.hash = hashlib.sha256()
        self.said = asyncio.get_running_loop().create_future()

    def end(self, line):
        if not self.said.done():
            self.said.set_result(line)

    def add(self, data):
        self.items += 1
        self.bytes += len(data)
        self.hash.update(data)

    def ok(self):
        self.end("ok %d %d %s" % (self.items, self.bytes, self.hash.hexdigest()[:8]))

    def on_subscribe(self, subscription):
        self.subscription = subscription

    def on_next(self, value, is_complete=False):
        self.add(value.data or b"")
        if self.items == self.take:
            self.subscription.cancel()
            self.end("cancelled %d" % self.items)
        elif is_complete:
            self.ok()
        elif self.credit < UNBOUNDED and self.items % self.credit == 0:
            self.subscription.request(self.credit)

    def on_complete(self):
        self.ok()

    def on_error(self, exception):
        self.end(failure(self.items, exception))


def failure(items, exception):
    if isinstance(exception, RSocketProtocolError):
        return "failed %d 0x%x %s" % (items, exception.error_code.value, exception.data or "")
    if isinstance(exception, RuntimeError):  # what the library makes of 0x201
        return "failed %d 0x201 %s" % (items, exception)
    return "closed %r" % exception


class Outgoing(Publisher, Subscription):
    """Sends what is left of a channel's messages as the peer asks for them, then the end."""

    def __init__(self, data, count):
        self.data, self.left = data, count

    def subscribe(self, subscriber):
        self.to = subscriber
        subscriber.on_subscribe(self)

    def request(self, n):
        while n > 0 and self.left > 0:
            n, self.left = n - 1, self.left - 1
            self.to.on_next(Payload(self.data))
        if self.left == 0:
            self.left = -1
            self.to.on_complete()

    def cancel(self):
        self.left = -1


class Client:
    def __init__(self, socket):
        self.socket = socket

    async def reply(self, payload):
        got = Collected()
        try:
            got.add((await self.socket.request_response(payload)).data or b"")
            got.ok()
        except Exception as e:
            got.on_error(e)
        return await got.said

    async def stream(self, step):
        credit = step.number("credit", UNBOUNDED)
        got = Collected(step.number("take", 0), credit)
        self.socket.request_stream(step.payload()).initial_request_n(credit).subscribe(got)
        return await got.said

    async def channel(self, step):
        credit = step.number("credit", UNBOUNDED)
        got = Collected(0, credit)
        rest = Outgoing(step.data, step.number("count", 1) - 1)
        self.socket.request_channel(step.payload(), rest).initial_request_n(credit).subscribe(got)
        return await got.said

    async def flood(self, step, count, result):
        """Starts calls that are not answered, waits until the server has them, cancels all and waits for that too."""
        futures, streams = [], []
        for _ in range(count):
            if step.options.get("model") == "stream":
                streams.append(Collected(credit=1))
                self.socket.request_stream(step.payload()).initial_request_n(1).subscribe(streams[-1])
            else:
                futures.append(self.socket.request_response(step.payload()))
        await self.reply(asked("echo", b"sync"))
        ended = [f for f in futures if f.done()] + [s for s in streams if s.said.done()]
        for f in futures:
            f.cancel()
        for s in streams:
            s.subscription.cancel()
        await asyncio.sleep(0)  # a cancelled future tells of it in the next turn of the loop
        await self.reply(asked("echo", b"sync"))
        return "closed %d of them ended" % len(ended) if ended else result

    async def burst(self, step):
        window = asyncio.Semaphore(step.number("window", step.number("count", 1)))

        async def one():
            async with window:
                return len((await self.socket.request_response(step.payload())).data or b"")

        sizes = await asyncio.gather(*(one() for _ in range(step.number("count", 1))))
        return "ok %d %d -" % (len(sizes), sum(sizes))

    async def carry_out(self, step):
        if step.kind == "request":
            return await self.reply(step.payload())
        if step.kind == "tell":
            return "ok " + (await self.socket.request_response(step.payload())).data.decode()
        if step.kind == "stream":
            return await self.stream(step)
        if step.kind == "channel":
            return await self.channel(step)
        if step.kind == "fnf":
            await self.socket.fire_and_forget(step.payload())
            return "sent"
        if step.kind == "push":
            await self.socket.metadata_push(composite(route(step.route)))
            return "sent"
        if step.kind == "cancel":
            return await self.flood(step, 1, "cancelled 0")
        if step.kind == "flood":
            return await self.flood(step, step.number("count", 1), "cancelled %d" % step.number("count", 1))
        if step.kind == "burst":
            return await self.burst(step)
        if step.kind == "idle":
            await asyncio.sleep(int(step.data) / 1000)
            return "idle"
        return "closed no kind of step is called " + step.kind

    async def said(self, step):
        try:
            return await asyncio.wait_for(self.carry_out(step), PATIENCE)
        except asyncio.TimeoutError:
            return "timeout"
        except Exception as e:
            return "closed %r" % e


async def transport(url):
    if url.startswith("ws"):
        return TransportAioHttpClient(url)
    u = urlsplit(url)
    return TransportTCP(*await asyncio.open_connection(u.hostname, u.port))


async def main():
    options = dict(word.split("=", 1) for word in sys.argv[2:])
    logging.disable(logging.CRITICAL)
    socket = RSocketClient(
        single_transport_provider(await transport(sys.argv[1])),
        data_encoding=options.get("mime", "application/octet-stream").encode(),
        metadata_encoding=WellKnownMimeTypes.MESSAGE_RSOCKET_COMPOSITE_METADATA,
        keep_alive_period=timedelta(milliseconds=int(options.get("keepalive", 20000))),
        max_lifetime_period=timedelta(milliseconds=int(options.get("lifetime", 90000))),
        fragment_size_bytes=int(options["mtu"]) if "mtu" in options else None,
        honor_lease="lease" in options,
    )
    async with socket:
        client = Client(socket)
        read = asyncio.get_running_loop().run_in_executor
        number = 0
        while line := (await read(None, sys.stdin.readline)).rstrip("\n"):
            number += 1
            said = await client.said(Step(line))
            print("%d %s" % (number, said), flush=True)
            if said == "timeout":
                sys.exit(1)


asyncio.run(main())
