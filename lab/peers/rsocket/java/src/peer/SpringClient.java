package peer;

import java.util.Map;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.messaging.rsocket.RSocketRequester;
import org.springframework.util.MimeType;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** SpringClient URL [OPTION=VALUE…]: the steps of standard input with the requester that Spring Boot sets up. */
public final class SpringClient extends Client {
    private final RSocketRequester requester;

    private SpringClient(RSocketRequester requester) {
        this.requester = requester;
    }

    public static void main(String[] args) throws Exception {
        Map<String, String> options = Step.options(args, 1);
        var context = new SpringApplicationBuilder(Server.class) // without a port it does not listen
                .web(WebApplicationType.NONE).properties("spring.main.banner-mode=off", "logging.level.root=off").run();
        var builder = context.getBean(RSocketRequester.Builder.class).rsocketConnector(c -> Dial.configure(c, options));
        if (options.containsKey("mime")) {
            builder.dataMimeType(MimeType.valueOf(options.get("mime")));
        }
        RSocketRequester requester = builder.transport(Dial.transport(args[0], options));
        new SpringClient(requester).script();
        requester.dispose();
        context.close();
    }

    @Override
    Mono<byte[]> request(String route, byte[] data) {
        return requester.route(route).data(data).retrieveMono(byte[].class);
    }

    @Override
    Flux<byte[]> stream(String route, byte[] data) {
        return requester.route(route).data(data).retrieveFlux(byte[].class);
    }

    @Override
    Flux<byte[]> channel(String route, Flux<byte[]> data) {
        return requester.route(route).data(data, byte[].class).retrieveFlux(byte[].class);
    }

    @Override
    Mono<Void> fireAndForget(String route, byte[] data) {
        return requester.route(route).data(data).send();
    }

    @Override
    Mono<Void> push(String route, byte[] data) {
        return requester.route(route).sendMetadata();
    }

    @Override
    Mono<String> check(String route, String sku, int quantity) {
        return requester.route(route).data(new Routes.Question(sku, quantity))
                .retrieveMono(Routes.Answer.class).map(Routes.Answer::toString);
    }
}
