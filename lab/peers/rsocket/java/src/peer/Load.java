package peer;

import com.sun.management.OperatingSystemMXBean;
import io.rsocket.Payload;
import io.rsocket.RSocket;
import io.rsocket.core.RSocketConnector;
import io.rsocket.frame.decoder.PayloadDecoder;
import io.rsocket.metadata.WellKnownMimeType;
import java.lang.management.ManagementFactory;
import java.util.HexFormat;
import java.util.Map;
import reactor.core.publisher.Flux;

/**
 * Load URL ROUTE HEX BLOCKS CALLS WINDOW: blocks of request-responses over one connection, and for each a line
 * "block NUMBER CALLS CPU-NANOSECONDS", the CPU time of the whole process. The start of the JVM is in no block.
 */
public final class Load {
    public static void main(String[] args) {
        byte[] body = HexFormat.of().parseHex(args[2]);
        int calls = Integer.parseInt(args[4]);
        int window = Integer.parseInt(args[5]);
        var system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        RSocket socket = RSocketConnector.create()
                .dataMimeType("application/cbor")
                .metadataMimeType(WellKnownMimeType.MESSAGE_RSOCKET_COMPOSITE_METADATA.getString())
                .payloadDecoder(PayloadDecoder.ZERO_COPY)
                .connect(Dial.transport(args[0], Map.of())).block();
        Payload question = CoreClient.payload(args[1], body);
        for (int block = 1; block <= Integer.parseInt(args[3]); block++) {
            long before = system.getProcessCpuTime();
            Long done = Flux.range(0, calls)
                    .flatMap(i -> socket.requestResponse(question.retain()).doOnNext(Payload::release), window)
                    .count().block();
            System.out.println("block " + block + " " + done + " " + (system.getProcessCpuTime() - before));
        }
        socket.dispose();
    }
}
