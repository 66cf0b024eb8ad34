package peer;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.Unpooled;
import io.rsocket.Payload;
import io.rsocket.RSocket;
import io.rsocket.core.RSocketConnector;
import io.rsocket.metadata.CompositeMetadataCodec;
import io.rsocket.metadata.TaggingMetadataCodec;
import io.rsocket.metadata.WellKnownMimeType;
import io.rsocket.util.DefaultPayload;
import java.util.List;
import java.util.Map;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** CoreClient URL [OPTION=VALUE…]: the steps of standard input with rsocket-java, without Spring. */
public final class CoreClient extends Client {
    private final RSocket socket;

    private CoreClient(RSocket socket) {
        this.socket = socket;
    }

    public static void main(String[] args) throws Exception {
        Map<String, String> options = Step.options(args, 1);
        RSocketConnector connector = RSocketConnector.create()
                .dataMimeType(options.getOrDefault("mime", "application/octet-stream"))
                .metadataMimeType(WellKnownMimeType.MESSAGE_RSOCKET_COMPOSITE_METADATA.getString());
        Dial.configure(connector, options);
        RSocket socket = connector.connect(Dial.transport(args[0], options)).block();
        new CoreClient(socket).script();
        socket.dispose();
        socket.onClose().onErrorComplete().block();
    }

    @Override
    Mono<byte[]> request(String route, byte[] data) {
        return Mono.defer(() -> socket.requestResponse(payload(route, data))).map(CoreClient::bytes);
    }

    @Override
    Flux<byte[]> stream(String route, byte[] data) {
        return Flux.defer(() -> socket.requestStream(payload(route, data))).map(CoreClient::bytes);
    }

    @Override
    Flux<byte[]> channel(String route, Flux<byte[]> data) {
        Flux<Payload> sent = data.index((i, b) -> i == 0 ? payload(route, b) : DefaultPayload.create(b));
        return socket.requestChannel(sent).map(CoreClient::bytes);
    }

    @Override
    Mono<Void> fireAndForget(String route, byte[] data) {
        return Mono.defer(() -> socket.fireAndForget(payload(route, data)));
    }

    @Override
    Mono<Void> push(String route, byte[] data) {
        return Mono.defer(() -> socket.metadataPush(DefaultPayload.create(Unpooled.EMPTY_BUFFER, metadata(route))));
    }

    static Payload payload(String route, byte[] data) {
        return DefaultPayload.create(Unpooled.wrappedBuffer(data), metadata(route));
    }

    static ByteBuf metadata(String route) {
        CompositeByteBuf all = ByteBufAllocator.DEFAULT.compositeBuffer();
        ByteBuf tags = TaggingMetadataCodec.createRoutingMetadata(ByteBufAllocator.DEFAULT, List.of(route)).getContent();
        CompositeMetadataCodec.encodeAndAddMetadata(
                all, ByteBufAllocator.DEFAULT, WellKnownMimeType.MESSAGE_RSOCKET_ROUTING, tags);
        return all;
    }

    private static byte[] bytes(Payload p) {
        byte[] b = new byte[p.data().readableBytes()];
        p.data().readBytes(b);
        p.release();
        return b;
    }
}
