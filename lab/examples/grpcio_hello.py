"""wg.v1.Hello on grpcio with its usual pool of ten threads, and reflection: grpcio_hello.py PORT."""
import signal
import sys
from concurrent import futures

import grpc
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from grpc_reflection.v1alpha import reflection

NAME = "wg.v1.Hello"


def described():
    """lab/proto/hello.proto without its REST paths, so that no code has to be generated."""
    field = descriptor_pb2.FieldDescriptorProto
    file = descriptor_pb2.FileDescriptorProto(name="hello.proto", package="wg.v1", syntax="proto3")
    for message, text in (("HelloRequest", "greeting"), ("HelloReply", "reply")):
        file.message_type.add(name=message).field.add(name=text, number=1, type=field.TYPE_STRING, label=field.LABEL_OPTIONAL)
    file.service.add(name="Hello").method.add(name="SayHello", input_type=".wg.v1.HelloRequest", output_type=".wg.v1.HelloReply")
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return pool


def main():
    pool = described()
    request, reply = (message_factory.GetMessageClass(pool.FindMessageTypeByName("wg.v1." + n)) for n in ("HelloRequest", "HelloReply"))

    def say_hello(q, context):
        return reply(reply="hello " + q.greeting)

    server = grpc.server(futures.ThreadPoolExecutor(max_workers=10))
    handler = grpc.unary_unary_rpc_method_handler(say_hello, request.FromString, reply.SerializeToString)
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(NAME, {"SayHello": handler}),))
    reflection.enable_server_reflection((NAME, reflection.SERVICE_NAME), server, pool)
    if server.add_insecure_port("127.0.0.1:" + sys.argv[1]) == 0:
        sys.exit("port " + sys.argv[1] + " is taken")
    server.start()
    signal.sigwait({signal.SIGTERM, signal.SIGINT})
    server.stop(0).wait()


main()
