// node client.js URL [OPTION=VALUE…]: the steps of standard input with rsocket-core 0.0.27. It cannot send fragments.
'use strict';
const WebSocket = require('ws');
const {
  RSocketClient, BufferEncoders, encodeAndAddWellKnownMetadata, encodeRoute,
  MESSAGE_RSOCKET_COMPOSITE_METADATA, MESSAGE_RSOCKET_ROUTING,
} = require('rsocket-core');
const { default: TcpClient } = require('rsocket-tcp-client');
const { default: WebSocketClient } = require('rsocket-websocket-client');
const { Flowable } = require('rsocket-flowable');
const { script, address } = require('../script');

const metadata = (route) => encodeAndAddWellKnownMetadata(Buffer.alloc(0), MESSAGE_RSOCKET_ROUTING, encodeRoute(route));
const payload = (route, data) => ({ data, metadata: metadata(route) });
const bytes = (p) => (p && p.data) || Buffer.alloc(0);

// failed takes the words of an error frame out of the library's own.
const failed = (on) => (e) => on.failed(e.source ? Object.assign(new Error(e.source.message), { code: e.source.code }) : e);

function flow(flowable, credit, on) {
  let subscription;
  flowable.subscribe({
    onSubscribe(s) { subscription = s; s.request(credit); },
    onNext: (p) => on.next(bytes(p)),
    onComplete: () => on.done(),
    onError: failed(on),
  });
  return { request: (n) => subscription.request(n), cancel: () => subscription.cancel() };
}

function request(socket, route, data, on) {
  let cancel;
  socket.requestResponse(payload(route, data)).subscribe({
    onSubscribe(c) { cancel = c; },
    onComplete(p) { on.next(bytes(p)); on.done(); },
    onError: failed(on),
  });
  return { request() {}, cancel: () => cancel() };
}

function items(route, all) {
  return new Flowable((to) => {
    let next = 0;
    const send = (n) => {
      for (; n > 0 && next < all.length; n--) {
        to.onNext(next === 0 ? payload(route, all[next]) : { data: all[next] });
        next++;
      }
      if (next === all.length) {
        next++;
        to.onComplete();
      }
    };
    to.onSubscribe({ request: send, cancel() { next = all.length + 1; } });
  });
}

const client = (socket) => ({
  request: (route, data, on) => request(socket, route, data, on),
  stream: (route, data, credit, on) => flow(socket.requestStream(payload(route, data)), credit, on),
  channel: (route, all, credit, on) => flow(socket.requestChannel(items(route, all)), credit, on),
  fnf: (route, data) => socket.fireAndForget(payload(route, data)),
  push: (route) => new Promise((resolve, reject) => {
    socket.metadataPush({ metadata: metadata(route) }).subscribe({ onComplete: resolve, onError: reject });
  }),
  code: (e) => e.code,
});

const { url, options } = address();
const transport = url.protocol === 'ws:'
  ? new WebSocketClient({ url: url.href, wsCreator: (u) => new WebSocket(u) }, BufferEncoders)
  : new TcpClient({ host: url.hostname, port: Number(url.port) }, BufferEncoders);
new RSocketClient({
  setup: {
    dataMimeType: options.mime || 'application/octet-stream',
    metadataMimeType: MESSAGE_RSOCKET_COMPOSITE_METADATA.string,
    keepAlive: Number(options.keepalive || 20000),
    lifetime: Number(options.lifetime || 90000),
  },
  transport,
}).connect().subscribe({
  async onComplete(socket) {
    await script(client(socket));
    socket.close();
    process.exit(0);
  },
  onError(e) {
    console.error(e);
    process.exit(1);
  },
});
