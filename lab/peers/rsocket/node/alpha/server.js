// node server.js NAME…: the routes of ../../README.md on rsocket-core 1.0.0-alpha.3; listeners tcp and ws.
// Run with NODE_PATH pointing at the folder that holds its packages.
'use strict';
const net = require('net');
const cbor = require('cbor');
const WebSocket = require('ws');
const { RSocketError, RSocketServer } = require('rsocket-core');
const { TcpServerTransport } = require('rsocket-tcp-server');
const { WebsocketServerTransport } = require('rsocket-websocket-server');
const { decodeCompositeMetadata, decodeRoutes } = require('rsocket-composite-metadata');
const { pattern, answer } = require('../service');

// A SETUP that comes in two reads throws inside the library: the connection hangs, the others live on.
process.on('uncaughtException', (e) => console.error(e));

const counts = { notes: 0, pushes: 0, cancels: 0 };
const ignore = { cancel() {}, request() {}, onExtension() {} };
const cancelled = { ...ignore, cancel() { counts.cancels++; } };
const route = (payload) => [...decodeCompositeMetadata(payload.metadata)]
  .filter((e) => e.mimeType === 'message/x.rsocket.routing.v0')
  .flatMap((e) => [...decodeRoutes(e.content)])[0];
const data = (payload) => payload.data || Buffer.alloc(0);

const requests = {
  'inventory.check': (d, to) => to.onNext({ data: cbor.encode(answer(cbor.decode(d))) }, true),
  echo: (d, to) => to.onNext({ data: d }, true),
  empty: (d, to) => to.onComplete(),
  fail: (d, to) => to.onError(new Error('planted')),
  err: (d, to) => to.onError(new RSocketError(parseInt(d, 16), `planted ${d}`)),
  big: (d, to) => to.onNext({ data: pattern(Number(d)) }, true),
  counts: (d, to) => to.onNext({ data: Buffer.from(`notes=${counts.notes} pushes=${counts.pushes} cancels=${counts.cancels}`) }, true),
};

function requestResponse(payload, to) {
  const name = route(payload);
  if (name === 'never') return cancelled;
  if (!requests[name]) to.onError(new Error(`no route '${name}'`));
  else requests[name](data(payload), to);
  return ignore;
}

// source sends count items as far as they are asked for, the last one together with the end.
function source(count, item, failing, credit, to) {
  let sent = 0;
  let over = false;
  const more = (n) => {
    for (; n > 0 && !over && sent < count; n--) {
      sent++;
      over = sent === count && !failing;
      to.onNext({ data: item }, over);
    }
    if (over || sent < count) return;
    over = true;
    if (failing) to.onError(new Error('planted'));
    else to.onComplete();
  };
  more(credit);
  return { request: more, cancel() { over = true; }, onExtension() {} };
}

function requestStream(payload, credit, to) {
  switch (route(payload)) {
    case 'items': {
      const [count, size, failing] = data(payload).toString().split(' ');
      return source(Number(count), pattern(Number(size)), failing === '!', credit, to);
    }
    case 'inventory.watch': {
      const q = cbor.decode(data(payload));
      return source(q.quantity, cbor.encode(answer(q)), false, credit, to);
    }
    case 'nevers':
      return cancelled;
    default:
      to.onError(new Error(`no stream '${route(payload)}'`));
      return ignore;
  }
}

// requestChannel answers each message with one, when the requester has asked for it.
function requestChannel(payload, credit, completed, to) {
  const name = route(payload);
  const reply = { chan: (d) => d, 'inventory.checks': (d) => cbor.encode(answer(cbor.decode(d))) }[name];
  if (!reply) {
    to.onError(new Error(`no channel '${name}'`));
    return { ...ignore, onNext() {}, onComplete() {}, onError() {} };
  }
  const waiting = [];
  let ended = completed;
  let over = false;
  const drain = () => {
    while (!over && credit > 0 && waiting.length) {
      credit--;
      to.onNext({ data: waiting.shift() }, false);
    }
    if (!over && ended && !waiting.length) {
      over = true;
      to.onComplete();
    }
  };
  const take = (p) => waiting.push(reply(data(p)));
  take(payload);
  setImmediate(drain);
  if (!completed) setImmediate(() => to.request(0x7fffffff));
  return {
    request(n) { credit += n; drain(); },
    cancel() { over = true; },
    onExtension() {},
    onNext(p, last) { take(p); ended = ended || last; drain(); },
    onComplete() { ended = true; drain(); },
    onError() { over = true; },
  };
}

function fireAndForget(payload) {
  if (route(payload) === 'note') counts.notes++;
  return ignore;
}

function metadataPush() { counts.pushes++; }

const acceptor = { accept: async () => ({ requestResponse, requestStream, requestChannel, fireAndForget, metadataPush }) };

async function listen(name) {
  let server;
  const transport = name === 'ws'
    ? new WebsocketServerTransport({ host: '127.0.0.1', port: 0, wsCreator: () => (server = new WebSocket.Server({ host: '127.0.0.1', port: 0 })) })
    : new TcpServerTransport({ listenOptions: { host: '127.0.0.1', port: 0 }, socketCreator: (o) => (server = net.createServer(o || {})) });
  await new RSocketServer({ transport, acceptor }).bind();
  console.log(`${name} 127.0.0.1:${server.address().port}`);
}

(async () => {
  for (const name of process.argv.slice(2)) await listen(name);
  console.log('ready');
})();
