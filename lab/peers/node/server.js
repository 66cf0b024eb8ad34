// grpc.testing.TestService on grpc-js: node server.js PROTOSET; prints its address.
// Run with NODE_PATH pointing at the folder that holds @grpc/grpc-js and @grpc/proto-loader.
'use strict';
const fs = require('fs');
const grpc = require('@grpc/grpc-js');
const loader = require('@grpc/proto-loader');

const INITIAL = 'x-grpc-test-echo-initial';
const TRAILING = 'x-grpc-test-echo-trailing-bin';

const definition = loader.loadFileDescriptorSetFromBuffer(fs.readFileSync(process.argv[2]), { keepCase: true });
const { TestService } = grpc.loadPackageDefinition(definition).grpc.testing;

const payload = (size) => ({ body: Buffer.alloc(size || 0) });

function echo(call) {
  const initial = call.metadata.get(INITIAL);
  if (initial.length) {
    const header = new grpc.Metadata();
    header.set(INITIAL, initial[0]);
    call.sendMetadata(header);
  }
  const trailer = new grpc.Metadata();
  for (const value of call.metadata.get(TRAILING)) trailer.set(TRAILING, value);
  return trailer;
}

function failure(request, trailer) {
  const asked = request.response_status;
  return asked && asked.code ? { code: asked.code, details: asked.message, metadata: trailer } : null;
}

function write(call, request) {
  for (const p of request.response_parameters || []) call.write({ payload: payload(p.size) });
}

const server = new grpc.Server();
server.addService(TestService.service, {
  EmptyCall: (call, done) => done(null, {}),
  UnaryCall: (call, done) => {
    const trailer = echo(call);
    const failed = failure(call.request, trailer);
    if (failed) return done(failed);
    done(null, { payload: payload(call.request.response_size) }, trailer);
  },
  StreamingOutputCall: (call) => {
    write(call, call.request);
    call.end();
  },
  StreamingInputCall: (call, done) => {
    let total = 0;
    call.on('data', (r) => { total += r.payload ? r.payload.body.length : 0; });
    call.on('end', () => done(null, { aggregated_payload_size: total }));
  },
  FullDuplexCall: (call) => {
    const trailer = echo(call);
    let over = false;
    call.on('data', (r) => {
      if (over) return;
      const failed = failure(r, trailer);
      if (failed) {
        over = true;
        call.emit('error', failed);
        return;
      }
      write(call, r);
    });
    call.on('end', () => { if (!over) call.end(trailer); });
  },
});

server.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), (err, port) => {
  if (err) throw err;
  console.log(`127.0.0.1:${port}`);
});
process.on('SIGTERM', () => server.forceShutdown());
