package peer;

import io.rsocket.RSocketErrorException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.reactivestreams.Subscription;
import reactor.core.Disposable;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.SignalType;

/** Carries out a script of steps, one after the other on one connection, and prints one line for each. */
abstract class Client {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    abstract Mono<byte[]> request(String route, byte[] data);

    abstract Flux<byte[]> stream(String route, byte[] data);

    abstract Flux<byte[]> channel(String route, Flux<byte[]> data);

    abstract Mono<Void> fireAndForget(String route, byte[] data);

    abstract Mono<Void> push(String route, byte[] data);

    /** A question with types, where the library has them. */
    Mono<String> check(String route, String sku, int quantity) {
        throw new UnsupportedOperationException("this client has no types");
    }

    void script() throws IOException {
        var in = new BufferedReader(new InputStreamReader(System.in));
        int number = 0;
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String said = said(Step.parse(line));
            System.out.println(++number + " " + said);
            if (said.equals("timeout")) {
                System.exit(1);
            }
        }
    }

    private String said(Step s) {
        try {
            return carryOut(s);
        } catch (IllegalStateException e) {
            return String.valueOf(e.getMessage()).startsWith("Timeout") ? "timeout" : "closed " + e;
        } catch (Exception e) {
            return "closed " + e;
        }
    }

    private String carryOut(Step s) throws Exception {
        switch (s.kind()) {
            case "request":
                return collect(request(s.route(), s.data()).flux(), Integer.MAX_VALUE, 0);
            case "tell":
                return "ok " + new String(request(s.route(), s.data()).block(PATIENCE), StandardCharsets.UTF_8);
            case "stream":
                return collect(stream(s.route(), s.data()), s.number("take", Integer.MAX_VALUE), s.number("credit", 0));
            case "channel":
                Flux<byte[]> data = Flux.range(0, s.number("count", 1)).map(i -> s.data());
                return collect(channel(s.route(), data), Integer.MAX_VALUE, s.number("credit", 0));
            case "fnf":
                fireAndForget(s.route(), s.data()).block(PATIENCE);
                return "sent";
            case "push":
                push(s.route(), s.data()).block(PATIENCE);
                return "sent";
            case "cancel":
                return flood(s, 1, "cancelled 0");
            case "flood":
                return flood(s, s.number("count", 1), "cancelled " + s.number("count", 1));
            case "burst":
                return burst(s);
            case "idle":
                Thread.sleep(Integer.parseInt(s.text()));
                return "idle";
            case "check":
                String[] q = s.text().split(":");
                return "ok " + check(s.route(), q[0], Integer.parseInt(q[1])).block(PATIENCE);
            default:
                return "closed no kind of step is called " + s.kind();
        }
    }

    /** Reads to the end, to an error, or takes some items and cancels. */
    private static String collect(Flux<byte[]> items, int take, int credit) {
        var all = new Collected(take);
        Flux<byte[]> asked = credit > 0 ? items.limitRate(credit) : items;
        asked.doOnNext(all::add).takeUntil(b -> all.full()).onErrorResume(e -> {
            all.failure = e;
            return Mono.empty();
        }).then().block(PATIENCE);
        return all.said();
    }

    private static final class Collected {
        private final int take;
        private final MessageDigest hash = Pattern.hash();
        private int items;
        private long bytes;
        private Throwable failure;

        Collected(int take) {
            this.take = take;
        }

        void add(byte[] b) {
            items++;
            bytes += b.length;
            hash.update(b);
        }

        boolean full() {
            return items >= take;
        }

        String said() {
            if (failure instanceof RSocketErrorException e) {
                return "failed " + items + " 0x" + Integer.toHexString(e.errorCode()) + " " + e.getMessage();
            }
            if (failure != null) {
                return "closed " + failure;
            }
            return full() ? "cancelled " + items : "ok " + items + " " + bytes + " " + Pattern.hex(hash);
        }
    }

    /** Starts calls that are not answered, waits until the server has them, cancels all and waits for that too. */
    private String flood(Step s, int count, String result) {
        boolean streams = "stream".equals(s.options().get("model"));
        List<Disposable> open = new ArrayList<>(count);
        List<String> ended = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            var one = new BaseSubscriber<byte[]>() {
                @Override
                protected void hookOnSubscribe(Subscription subscription) {
                    subscription.request(1);
                }

                @Override
                protected void hookFinally(SignalType type) {
                    if (type != SignalType.CANCEL) {
                        synchronized (ended) {
                            ended.add(type.toString());
                        }
                    }
                }

                @Override
                protected void hookOnError(Throwable t) {}
            };
            (streams ? stream(s.route(), s.data()) : request(s.route(), s.data()).flux()).subscribe(one);
            open.add(one);
        }
        request("echo", Pattern.text("sync")).block(PATIENCE);
        open.forEach(Disposable::dispose);
        request("echo", Pattern.text("sync")).block(PATIENCE);
        synchronized (ended) {
            return ended.isEmpty() ? result : "closed " + ended.size() + " of them ended: " + ended.get(0);
        }
    }

    private String burst(Step s) {
        int count = s.number("count", 1);
        long[] bytes = new long[1];
        Long items = Flux.range(0, count)
                .flatMap(i -> request(s.route(), s.data()), s.number("window", count))
                .doOnNext(b -> bytes[0] += b.length).count().block(PATIENCE);
        return "ok " + items + " " + bytes[0] + " -";
    }
}
