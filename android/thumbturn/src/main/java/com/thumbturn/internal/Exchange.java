package com.thumbturn.internal;

import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.util.Arrays;

/**
 * One HTTP exchange, bounded in size; redirects are not followed.
 *
 * <p>Cookies are sent only if the app itself set a default {@code CookieHandler}, which cannot be declined for one connection.
 */
final class Exchange {
    private static final int CHUNK = 8192;

    private static final byte[] NO_BODY = {};

    private final HttpRequest request;
    @Nullable private HttpURLConnection connection;
    private boolean stopped;

    Exchange(HttpRequest request) {
        this.request = request;
    }

    Message.Writer run() throws IOException {
        HttpURLConnection opened = (HttpURLConnection) request.url.openConnection();
        try {
            opened.setInstanceFollowRedirects(false);
            opened.setUseCaches(false);
            // A connection that is being made cannot be disconnected, and a disconnect between two steps can be without effect.
            opened.setConnectTimeout(request.timeout);
            opened.setReadTimeout(request.timeout);
            opened.setRequestMethod(request.method);
            for (int index = 0; index < request.names.size(); index++) {
                opened.addRequestProperty(request.names.get(index), request.values.get(index));
            }
            adopt(opened);
            send(opened);
            int status = opened.getResponseCode();
            return new Message.Writer().number(status).fields(headers(opened)).wiping(content(opened, status));
        } finally {
            opened.disconnect();
        }
    }

    /**
     * Sends the request at most once. The system's client repeats a request by itself where the connection breaks before the
     * answer, also one that the server has received. It does not repeat one whose body it does not keep, which a length that is
     * told beforehand means. What only reads may be repeated (RFC 9110 section 9.2.2).
     */
    private void send(HttpURLConnection opened) throws IOException {
        boolean onlyReads = request.method.equals("GET") || request.method.equals("HEAD");
        if (onlyReads && request.body == null) {
            opened.connect();
        } else {
            byte[] body = request.body == null ? NO_BODY : request.body;
            opened.setDoOutput(true);
            opened.setFixedLengthStreamingMode(body.length);
            try (OutputStream out = opened.getOutputStream()) {
                out.write(body);
            }
        }
        // It may have been stopped while the connection was made.
        adopt(opened);
    }

    private static Message.Writer headers(HttpURLConnection opened) throws IOException {
        Message.Writer pairs = new Message.Writer();
        int count = 0;
        // The status line may stand at index 0 under no name.
        for (int index = 0; ; index++) {
            String name = opened.getHeaderFieldKey(index);
            String value = opened.getHeaderField(index);
            if (name == null && value == null) {
                return new Message.Writer().number(count).fields(pairs);
            }
            if (name != null) {
                pairs.text(name).text(value == null ? "" : value);
                count++;
            }
            if (count > HttpRequest.MOST_HEADERS) {
                throw new IOException("the answer has more headers than allowed");
            }
        }
    }

    private Buffer content(HttpURLConnection opened, int status) throws IOException {
        Buffer content = new Buffer();
        byte[] chunk = new byte[CHUNK];
        try (InputStream in = status >= 400 ? opened.getErrorStream() : opened.getInputStream()) {
            while (in != null && content.size() <= request.limit) {
                int read = in.read(chunk, 0, (int) Math.min(CHUNK, request.limit + 1L - content.size()));
                if (read < 0) {
                    break;
                }
                content.append(chunk, 0, read);
            }
        } finally {
            Arrays.fill(chunk, (byte) 0);
        }
        return content;
    }

    /** Makes the connection the one to disconnect; throws if the exchange was stopped before. */
    private synchronized void adopt(HttpURLConnection opened) throws IOException {
        connection = opened;
        if (stopped) {
            throw new InterruptedIOException();
        }
    }

    /** Disconnects from another thread: what {@link #run} then throws says nothing of the reason, and can be any exception. */
    void stop() {
        HttpURLConnection toClose;
        synchronized (this) {
            stopped = true;
            toClose = connection;
        }
        if (toClose != null) {
            toClose.disconnect();
        }
    }
}
