// node client.js URL [OPTION=VALUE…]: the steps of standard input with rsocket-core 1.0.0-alpha.3.
'use strict';
const WebSocket = require('ws');
const { RSocketConnector } = require('rsocket-core');
const { TcpClientTransport } = require('rsocket-tcp-client');
const { WebsocketClientTransport } = require('rsocket-websocket-client');
const { encodeCompositeMetadata, encodeRoute, WellKnownMimeType } = require('rsocket-composite-metadata');
const { script, address } = require('../script');

const metadata = (route) => encodeCompositeMetadata([[WellKnownMimeType.MESSAGE_RSOCKET_ROUTING, encodeRoute(route)]]);
const payload = (route, data) => ({ data, metadata: metadata(route) });

// subscriber tells on what the library tells; an end that comes with the last item is two events here.
function subscriber(on) {
  return {
    onNext(p, last) {
      on.next(p.data || Buffer.alloc(0));
      if (last) on.done();
    },
    onComplete() { on.done(); },
    onError(e) { on.failed(e); },
    onExtension() {},
  };
}

// outgoing sends items as the peer asks for them; the end is a frame of its own.
function outgoing(items, stream) {
  let next = 0;
  return (n) => {
    for (; n > 0 && next < items.length; n--) stream().onNext({ data: items[next++] }, false);
    if (next === items.length) {
      next++;
      stream().onComplete();
    }
  };
}

function client(socket) {
  return {
    request: (route, data, on) => socket.requestResponse(payload(route, data), subscriber(on)),
    stream: (route, data, credit, on) => socket.requestStream(payload(route, data), credit, subscriber(on)),
    channel(route, items, credit, on) {
      let stream;
      const send = outgoing(items.slice(1), () => stream);
      const all = { ...subscriber(on), request: send, cancel() {} };
      stream = socket.requestChannel(payload(route, items[0]), credit, items.length === 1, all);
      return stream;
    },
    fnf: (route, data) => new Promise((resolve, reject) => {
      socket.fireAndForget(payload(route, data), { onComplete: resolve, onError: reject });
    }),
    push: (route) => socket.metadataPush(metadata(route), { onComplete() {}, onError() {} }),
    code: (e) => e.code,
  };
}

(async () => {
  const { url, options } = address();
  const transport = url.protocol === 'ws:'
    ? new WebsocketClientTransport({ url: url.href, wsCreator: (u) => new WebSocket(u) })
    : new TcpClientTransport({ connectionOptions: { host: url.hostname, port: Number(url.port) } });
  const socket = await new RSocketConnector({
    setup: {
      dataMimeType: options.mime || 'application/octet-stream',
      metadataMimeType: WellKnownMimeType.MESSAGE_RSOCKET_COMPOSITE_METADATA.string,
      keepAlive: Number(options.keepalive || 20000),
      lifetime: Number(options.lifetime || 90000),
    },
    fragmentation: options.mtu ? { maxOutboundFragmentSize: Number(options.mtu) } : undefined,
    lease: options.lease ? {} : undefined,
    transport,
  }).connect();
  await script(client(socket));
  socket.close();
  process.exit(0);
})();
