package com.thumbturn.internal;

import java.net.MalformedURLException;
import java.net.URL;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** What one HTTP exchange sends, and its bounds. */
final class HttpRequest {
    static final int MOST_HEADERS = 200;

    final String method;
    final URL url;
    final List<String> names = new ArrayList<>();
    final List<String> values = new ArrayList<>();
    @Nullable final byte[] body;

    /** The bytes of an answer that are accepted; one more is read, so that the caller sees that there are more. */
    final int limit;

    /** Milliseconds for each step that a cancellation may not reach: to connect, and to wait for a piece of the answer. */
    final int timeout;

    private HttpRequest(Message.Reader request) throws MalformedURLException {
        method = request.text();
        url = new URL(request.text());
        int headers = request.number(0, MOST_HEADERS);
        for (int index = 0; index < headers; index++) {
            names.add(request.text());
            values.add(request.text());
        }
        body = request.bytesOrNull();
        limit = request.number(0, Integer.MAX_VALUE - 1);
        timeout = request.number(1, Integer.MAX_VALUE);
        request.end();
    }

    /** Overwrites the body, which may hold a password. */
    void wipe() {
        if (body != null) {
            Arrays.fill(body, (byte) 0);
        }
    }

    static HttpRequest read(Message.Reader request) {
        try {
            return new HttpRequest(request);
        } catch (MalformedURLException malformed) {
            throw new IllegalArgumentException(malformed);
        }
    }
}
