package peer;

import io.rsocket.core.RSocketConnector;
import io.rsocket.transport.ClientTransport;
import io.rsocket.transport.netty.client.TcpClientTransport;
import io.rsocket.transport.netty.client.WebsocketClientTransport;
import java.io.File;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import reactor.netty.http.Http11SslContextSpec;
import reactor.netty.http.client.HttpClient;
import reactor.netty.tcp.SslProvider;
import reactor.netty.tcp.TcpClient;
import reactor.netty.tcp.TcpSslContextSpec;

/** How both Java clients reach a server: the URL and the options of ../README.md. */
final class Dial {
    private Dial() {}

    static ClientTransport transport(String url, Map<String, String> options) {
        URI u = URI.create(url);
        File ca = options.containsKey("ca") ? new File(options.get("ca")) : null;
        if (u.getScheme().startsWith("ws")) {
            HttpClient http = HttpClient.create().host(u.getHost()).port(u.getPort());
            if (u.getScheme().equals("wss")) {
                SslProvider.GenericSslContextSpec<?> spec = Http11SslContextSpec.forClient().configure(b -> b.trustManager(ca));
                http = http.secure(s -> s.sslContext(spec));
            }
            return WebsocketClientTransport.create(http, u.getPath().isEmpty() ? "/" : u.getPath());
        }
        TcpClient tcp = TcpClient.create().host(u.getHost()).port(u.getPort());
        if (u.getScheme().equals("tls")) {
            SslProvider.GenericSslContextSpec<?> spec = TcpSslContextSpec.forClient().configure(b -> b.trustManager(ca));
            tcp = tcp.secure(s -> s.sslContext(spec));
        }
        return TcpClientTransport.create(tcp);
    }

    static void configure(RSocketConnector connector, Map<String, String> options) {
        if (options.containsKey("keepalive")) {
            connector.keepAlive(
                    Duration.ofMillis(Long.parseLong(options.get("keepalive"))),
                    Duration.ofMillis(Long.parseLong(options.get("lifetime"))));
        }
        if (options.containsKey("mtu")) {
            connector.fragment(Integer.parseInt(options.get("mtu")));
        }
        if ("true".equals(options.get("lease"))) {
            connector.lease();
        }
    }
}
