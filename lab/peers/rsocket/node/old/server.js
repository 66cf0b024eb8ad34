// node server.js NAME…: the routes of ../../README.md on rsocket-core 0.0.27; listeners tcp and ws.
// Run with NODE_PATH pointing at the folder that holds its packages.
'use strict';
const http = require('http');
const net = require('net');
const cbor = require('cbor');
const { RSocketServer, BufferEncoders, CompositeMetadata, decodeRoutes, MESSAGE_RSOCKET_ROUTING } = require('rsocket-core');
const { default: TcpServer } = require('rsocket-tcp-server');
const { default: WebSocketServer } = require('rsocket-websocket-server');
const { Flowable, Single } = require('rsocket-flowable');
const { pattern, answer } = require('../service');

// A client that goes away while it is written to throws inside the library: the other connections live on.
process.on('uncaughtException', (e) => console.error(e));

const counts = { notes: 0, pushes: 0, cancels: 0 };
const data = (payload) => payload.data || Buffer.alloc(0);

function route(payload) {
  for (const entry of new CompositeMetadata(payload.metadata)) {
    if (entry.mimeType === MESSAGE_RSOCKET_ROUTING.string) return [...decodeRoutes(entry.content)][0];
  }
  return undefined;
}

const requests = {
  'inventory.check': (d) => Single.of({ data: cbor.encode(answer(cbor.decode(d))) }),
  echo: (d) => Single.of({ data: d }),
  empty: () => Single.of(undefined), // the library makes an error of it
  fail: () => Single.error(new Error('planted')),
  err: (d) => Single.error(new Error(`planted ${d}`)), // there is no way to give a code
  big: (d) => Single.of({ data: pattern(Number(d)) }),
  counts: () => Single.of({ data: Buffer.from(`notes=${counts.notes} pushes=${counts.pushes} cancels=${counts.cancels}`) }),
  never: () => new Single((s) => s.onSubscribe(() => { counts.cancels++; })),
};

function requestResponse(payload) {
  const name = route(payload);
  return requests[name] ? requests[name](data(payload)) : Single.error(new Error(`no route '${name}'`));
}

// source sends count items as far as they are asked for.
function source(count, item, failing) {
  return new Flowable((to) => {
    let sent = 0;
    let over = false;
    const request = (n) => {
      for (; n > 0 && !over && sent < count; n--) {
        sent++;
        to.onNext({ data: item });
      }
      if (over || sent < count) return;
      over = true;
      if (failing) to.onError(new Error('planted'));
      else to.onComplete();
    };
    to.onSubscribe({ request, cancel() { over = true; } });
  });
}

function requestStream(payload) {
  switch (route(payload)) {
    case 'items': {
      const [count, size, failing] = data(payload).toString().split(' ');
      return source(Number(count), pattern(Number(size)), failing === '!');
    }
    case 'inventory.watch': {
      const q = cbor.decode(data(payload));
      return source(q.quantity, cbor.encode(answer(q)), false);
    }
    case 'nevers':
      return new Flowable((to) => to.onSubscribe({ request() {}, cancel() { counts.cancels++; } }));
    default:
      return Flowable.error(new Error(`no stream '${route(payload)}'`));
  }
}

// requestChannel answers each message with one; the first one names the route.
function requestChannel(payloads) {
  let name;
  return payloads.map((p) => {
    name = name || route(p);
    return { data: name === 'inventory.checks' ? cbor.encode(answer(cbor.decode(data(p)))) : data(p) };
  });
}

function fireAndForget(payload) {
  if (route(payload) === 'note') counts.notes++;
}

function metadataPush() {
  counts.pushes++;
  return Single.of(undefined);
}

const getRequestHandler = () => ({ requestResponse, requestStream, requestChannel, fireAndForget, metadataPush });

async function listen(name) {
  let listener;
  if (name === 'ws') {
    listener = http.createServer();
    new RSocketServer({ getRequestHandler, transport: new WebSocketServer({ server: listener }, BufferEncoders) }).start();
    await new Promise((resolve) => listener.listen(0, '127.0.0.1', resolve));
  } else {
    await new Promise((resolve) => {
      const serverFactory = (onConnect) => (listener = net.createServer(onConnect)).once('listening', resolve);
      const transport = new TcpServer({ host: '127.0.0.1', port: 0, serverFactory }, BufferEncoders);
      new RSocketServer({ getRequestHandler, transport }).start();
    });
  }
  console.log(`${name} 127.0.0.1:${listener.address().port}`);
}

(async () => {
  for (const name of process.argv.slice(2)) await listen(name);
  console.log('ready');
})();
