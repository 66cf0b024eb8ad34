"""grpc.testing.TestService on grpcio, with reflection: server.py PROTOSET [PEM_PREFIX]; prints its address.

With PEM_PREFIX the server speaks TLS with PEM_PREFIX.pem and PEM_PREFIX.key.
"""
import signal
import sys
from concurrent import futures

import grpc
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from grpc_reflection.v1alpha import reflection

NAME = "grpc.testing.TestService"


def descriptors(protoset):
    files = descriptor_pb2.FileDescriptorSet()
    with open(protoset, "rb") as f:
        files.ParseFromString(f.read())
    pool = descriptor_pool.DescriptorPool()
    for file in files.file:
        pool.Add(file)
    return pool


def messages(pool):
    return lambda name: message_factory.GetMessageClass(pool.FindMessageTypeByName("grpc.testing." + name))


def echo(context):
    for key, value in context.invocation_metadata():
        if key == "x-grpc-test-echo-initial":
            context.send_initial_metadata(((key, value),))
        if key == "x-grpc-test-echo-trailing-bin":
            context.set_trailing_metadata(((key, value),))


def asked(request, context):
    if request.HasField("response_status"):
        codes = {c.value[0]: c for c in grpc.StatusCode}
        context.abort(codes[request.response_status.code], request.response_status.message)


class Service:
    def __init__(self, message):
        self.message = message

    def payload(self, size):
        return self.message("Payload")(body=bytes(size))

    def empty(self, request, context):
        return self.message("Empty")()

    def unary(self, request, context):
        echo(context)
        asked(request, context)
        return self.message("SimpleResponse")(payload=self.payload(request.response_size))

    def output(self, request, context):
        for p in request.response_parameters:
            yield self.message("StreamingOutputCallResponse")(payload=self.payload(p.size))

    def input(self, requests, context):
        total = sum(len(r.payload.body) for r in requests)
        return self.message("StreamingInputCallResponse")(aggregated_payload_size=total)

    def duplex(self, requests, context):
        echo(context)
        for request in requests:
            asked(request, context)
            yield from self.output(request, context)

    def handlers(self):
        def wrap(make, behaviour, request):
            return make(behaviour, self.message(request).FromString, lambda m: m.SerializeToString())

        return {
            "EmptyCall": wrap(grpc.unary_unary_rpc_method_handler, self.empty, "Empty"),
            "UnaryCall": wrap(grpc.unary_unary_rpc_method_handler, self.unary, "SimpleRequest"),
            "StreamingOutputCall": wrap(grpc.unary_stream_rpc_method_handler, self.output, "StreamingOutputCallRequest"),
            "StreamingInputCall": wrap(grpc.stream_unary_rpc_method_handler, self.input, "StreamingInputCallRequest"),
            "FullDuplexCall": wrap(grpc.stream_stream_rpc_method_handler, self.duplex, "StreamingOutputCallRequest"),
        }


def main():
    server = grpc.server(futures.ThreadPoolExecutor(max_workers=32))
    pool = descriptors(sys.argv[1])
    handlers = Service(messages(pool)).handlers()
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(NAME, handlers),))
    reflection.enable_server_reflection((NAME, reflection.SERVICE_NAME), server, pool)
    if len(sys.argv) > 2:
        with open(sys.argv[2] + ".key", "rb") as key, open(sys.argv[2] + ".pem", "rb") as cert:
            credentials = grpc.ssl_server_credentials(((key.read(), cert.read()),))
        port = server.add_secure_port("127.0.0.1:0", credentials)
    else:
        port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    print("127.0.0.1:%d" % port, flush=True)
    signal.sigwait({signal.SIGTERM, signal.SIGINT})
    server.stop(0).wait()


main()
