package peer;

import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;

/** One line of a client's script: KIND ROUTE DATA [OPTION=VALUE…]. */
record Step(String kind, String route, byte[] data, String text, Map<String, String> options) {
    static Step parse(String line) {
        String[] words = line.split(" ");
        String text = words[2].replaceFirst("^text:", "").replace('_', ' ');
        return new Step(words[0], words[1], data(words[2], text), text, options(words, 3));
    }

    static Map<String, String> options(String[] words, int from) {
        Map<String, String> all = new HashMap<>();
        for (int i = from; i < words.length; i++) {
            String[] pair = words[i].split("=", 2);
            all.put(pair[0], pair[1]);
        }
        return all;
    }

    /** In text a blank is written as an underscore. */
    private static byte[] data(String word, String text) {
        if (word.startsWith("size:")) {
            return Pattern.bytes(Integer.parseInt(word.substring(5)));
        }
        if (word.startsWith("hex:")) {
            return HexFormat.of().parseHex(word.substring(4));
        }
        return word.equals("-") ? new byte[0] : Pattern.text(text);
    }

    int number(String option, int otherwise) {
        return Integer.parseInt(options.getOrDefault(option, String.valueOf(otherwise)));
    }
}
