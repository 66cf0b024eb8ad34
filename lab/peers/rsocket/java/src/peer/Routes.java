package peer;

import io.rsocket.exceptions.ApplicationErrorException;
import io.rsocket.exceptions.CanceledException;
import io.rsocket.exceptions.CustomRSocketException;
import io.rsocket.exceptions.InvalidException;
import io.rsocket.exceptions.RejectedException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.messaging.handler.annotation.MessageMapping;
import org.springframework.messaging.handler.annotation.Payload;
import org.springframework.messaging.rsocket.annotation.ConnectMapping;
import org.springframework.stereotype.Controller;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The routes of ../README.md. What is counted is counted for the whole JVM. */
@Controller
public class Routes {
    public record Question(String sku, int quantity) {}

    public record Answer(String sku, boolean available, int inStock, String warehouse) {}

    private static final String[] WAREHOUSES = {"ams-1", "fra-2", "iad-3", "sin-4"};
    private static final AtomicInteger notes = new AtomicInteger();
    private static final AtomicInteger pushes = new AtomicInteger();
    private static final AtomicInteger cancels = new AtomicInteger();

    /** The stock is what the reference service says: FNV-1a of the article's name. */
    private static Answer answer(Question q) {
        int h = (int) 2166136261L;
        for (byte b : q.sku().getBytes(StandardCharsets.UTF_8)) {
            h = (h ^ (b & 0xff)) * 16777619;
        }
        int stock = Integer.remainderUnsigned(h, 100);
        return new Answer(q.sku(), stock >= q.quantity(), stock, WAREHOUSES[h >>> 8 & 3]);
    }

    @MessageMapping("inventory.check")
    public Mono<Answer> check(Question q) {
        return Mono.just(answer(q));
    }

    @MessageMapping("inventory.watch")
    public Flux<Answer> watch(Question q) {
        return Flux.range(0, q.quantity()).map(i -> answer(q));
    }

    @MessageMapping("inventory.checks")
    public Flux<Answer> checks(Flux<Question> questions) {
        return questions.map(Routes::answer);
    }

    @MessageMapping("echo")
    public Mono<byte[]> echo(@Payload(required = false) byte[] data) {
        return Mono.just(data == null ? new byte[0] : data);
    }

    @MessageMapping("chan")
    public Flux<byte[]> chan(Flux<byte[]> data) {
        return data;
    }

    @MessageMapping("empty")
    public Mono<byte[]> empty() {
        return Mono.empty();
    }

    @MessageMapping("fail")
    public Mono<byte[]> fail() {
        return Mono.error(new IllegalStateException("planted"));
    }

    @MessageMapping("err")
    public Mono<byte[]> err(byte[] data) {
        String code = text(data);
        String message = "planted " + code;
        return Mono.error(switch (Integer.parseUnsignedInt(code, 16)) {
            case 0x201 -> new ApplicationErrorException(message);
            case 0x202 -> new RejectedException(message);
            case 0x203 -> new CanceledException(message);
            case 0x204 -> new InvalidException(message);
            default -> new CustomRSocketException(Integer.parseUnsignedInt(code, 16), message);
        });
    }

    @MessageMapping("big")
    public Mono<byte[]> big(byte[] data) {
        return Mono.just(Pattern.bytes(Integer.parseInt(text(data))));
    }

    @MessageMapping("items")
    public Flux<byte[]> items(byte[] data) {
        String[] words = text(data).split(" ");
        byte[] item = Pattern.bytes(Integer.parseInt(words[1]));
        Flux<byte[]> all = Flux.range(0, Integer.parseInt(words[0])).map(i -> item);
        return words.length == 2 ? all : all.concatWith(Mono.error(new IllegalStateException("planted")));
    }

    @MessageMapping("never")
    public Mono<byte[]> never() {
        return Mono.<byte[]>never().doOnCancel(cancels::incrementAndGet);
    }

    @MessageMapping("nevers")
    public Flux<byte[]> nevers() {
        return Flux.<byte[]>never().doOnCancel(cancels::incrementAndGet);
    }

    @MessageMapping("note")
    public Mono<Void> note() {
        notes.incrementAndGet();
        return Mono.empty();
    }

    @ConnectMapping("push")
    public Mono<Void> push() {
        pushes.incrementAndGet();
        return Mono.empty();
    }

    @MessageMapping("counts")
    public Mono<byte[]> counts() {
        return Mono.just(Pattern.text("notes=" + notes + " pushes=" + pushes + " cancels=" + cancels));
    }

    private static String text(byte[] data) {
        return new String(data, StandardCharsets.UTF_8);
    }
}
