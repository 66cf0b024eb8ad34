package peer;

import io.rsocket.lease.Lease;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.rsocket.server.RSocketServerCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Profile;
import reactor.core.publisher.Flux;

/** Server [--certificate=PEM --key=PEM] NAME…: one Spring application per listener, all in one JVM. */
@SpringBootApplication
public class Server {
    private static final String PREFIX = "spring.rsocket.server.";

    public static void main(String[] args) {
        Map<String, Object> tls = new HashMap<>();
        for (String arg : args) {
            if (arg.startsWith("--certificate=")) {
                tls.put(PREFIX + "ssl.certificate", "file:" + arg.substring(14));
            } else if (arg.startsWith("--key=")) {
                tls.put(PREFIX + "ssl.certificate-private-key", "file:" + arg.substring(6));
            } else {
                listen(arg, tls);
            }
        }
        System.out.println("ready");
    }

    private static void listen(String name, Map<String, Object> tls) {
        Map<String, Object> p = new HashMap<>();
        p.put("spring.main.banner-mode", "off");
        p.put("logging.level.root", "off");
        p.put(PREFIX + "address", "127.0.0.1");
        p.put(PREFIX + "port", "0");
        p.put(PREFIX + "transport", name.contains("ws") ? "websocket" : "tcp");
        if (name.equals("tls") || name.equals("wss")) {
            p.putAll(tls);
        }
        if (name.startsWith("frag")) {
            p.put(PREFIX + "fragment-size", "64B");
        }
        var context = new SpringApplicationBuilder(Server.class)
                .web(WebApplicationType.NONE).profiles(name).properties(p).run();
        System.out.println(name + " 127.0.0.1:" + context.getEnvironment().getProperty("local.rsocket.server.port"));
    }

    @Bean
    @Profile("lease")
    RSocketServerCustomizer lease() {
        return server -> server.lease(spec -> spec.sender(() ->
                Flux.interval(Duration.ZERO, Duration.ofMillis(500)).onBackpressureDrop()
                        .map(n -> Lease.create(Duration.ofMillis(400), 5))));
    }
}
