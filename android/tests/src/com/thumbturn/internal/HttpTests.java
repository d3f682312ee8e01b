package com.thumbturn.internal;

import static com.thumbturn.internal.Phone.check;
import static com.thumbturn.internal.Phone.equal;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

final class HttpTests {
    private final Phone phone = new Phone(36);

    private interface Handler {
        void handle(HttpExchange exchange) throws IOException;
    }

    private static HttpServer server(Handler handler) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            handler.handle(exchange);
            exchange.close();
        });
        server.start();
        return server;
    }

    private static Message.Writer request(String method, int port, byte[] body, int limit, int timeout) {
        return new Message.Writer()
                .text(method)
                .text("http://127.0.0.1:" + port + "/v1/x")
                .number(2)
                .text("DPoP")
                .text("proof")
                .text("X-Twice")
                .text("a")
                .bytes(body)
                .number(limit)
                .number(timeout);
    }

    @Test("status, headers and body travel both ways, also of answers that refuse")
    void exchange() throws IOException {
        List<String> seen = new ArrayList<>();
        HttpServer server = server(exchange -> {
            seen.add(exchange.getRequestMethod() + " " + exchange.getRequestHeaders().getFirst("DPoP") + " "
                    + new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
            exchange.getResponseHeaders().add("DPoP-Nonce", "n1");
            byte[] answer = "no".getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(exchange.getRequestMethod().equals("GET") ? 200 : 403, answer.length);
            exchange.getResponseBody().write(answer);
        });
        try {
            for (String method : new String[] {"GET", "POST", "DELETE"}) {
                byte[] body = method.equals("POST") ? new byte[] {'b'} : null;
                Message.Reader answer = phone.done(18, request(method, server.getAddress().getPort(), body, 100, 5000));
                equal(method.equals("GET") ? 200L : 403L, answer.number());
                boolean nonce = false;
                for (long left = answer.number(); left > 0; left--) {
                    String name = answer.text();
                    String value = answer.text();
                    nonce |= name.toLowerCase(Locale.ROOT).equals("dpop-nonce") && value.equals("n1");
                }
                check(nonce, "the header is missing");
                equal("no", new String(answer.bytes(), StandardCharsets.UTF_8));
                answer.end();
            }
            equal(List.of("GET proof ", "POST proof b", "DELETE proof "), seen);
        } finally {
            server.stop(0);
        }
    }

    /** The JDK's client drops the body of a 401 where it has streamed the request, so none is looked for. Android's does not. */
    @Test("a challenge has its status and headers")
    void challenge() throws IOException {
        HttpServer server = server(exchange -> {
            exchange.getRequestBody().readAllBytes();
            exchange.getResponseHeaders().add("DPoP-Nonce", "n1");
            exchange.sendResponseHeaders(401, -1);
        });
        try {
            for (byte[] body : new byte[][] {{'b'}, null}) {
                Message.Reader answer = phone.done(18, request("POST", server.getAddress().getPort(), body, 100, 5000));
                equal(401L, answer.number());
                boolean nonce = false;
                for (long left = answer.number(); left > 0; left--) {
                    nonce |= answer.text().equalsIgnoreCase("dpop-nonce") & answer.text().equals("n1");
                }
                check(nonce, "the header is missing");
            }
        } finally {
            server.stop(0);
        }
    }

    /** A server that answers the first request of a connection, and drops the connection once it has read the second. */
    private static final class DroppingServer implements AutoCloseable {
        private final ServerSocket socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        final List<String> seen = Collections.synchronizedList(new ArrayList<>());

        DroppingServer() throws IOException {
            Thread thread = new Thread(this::run, "dropping-server");
            thread.setDaemon(true);
            thread.start();
        }

        int port() {
            return socket.getLocalPort();
        }

        private void run() {
            while (!socket.isClosed()) {
                try (Socket connection = socket.accept()) {
                    BufferedReader in = new BufferedReader(
                            new InputStreamReader(connection.getInputStream(), StandardCharsets.ISO_8859_1));
                    if (!read(in).endsWith("first")) {
                        continue;
                    }
                    connection.getOutputStream().write(
                            "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".getBytes(StandardCharsets.ISO_8859_1));
                    read(in);
                } catch (IOException dropped) {
                    // The test counts what came.
                }
            }
        }

        /** Reads one request: the method and the body. */
        private String read(BufferedReader in) throws IOException {
            String method = in.readLine();
            int length = 0;
            for (String line = in.readLine(); line != null && !line.isEmpty(); line = in.readLine()) {
                if (line.toLowerCase(Locale.ROOT).startsWith("content-length:")) {
                    length = Integer.parseInt(line.substring("content-length:".length()).trim());
                }
            }
            char[] body = new char[length];
            for (int at = 0; at < length; at += Math.max(in.read(body, at, length - at), 0)) {}
            String request = method == null ? "nothing" : method.split(" ")[0] + " " + new String(body);
            if (method != null) {
                seen.add(request);
            }
            return request;
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    @Test("a request that the server has received is sent once, though the connection breaks before the answer")
    void once() throws IOException {
        for (String method : new String[] {"POST", "PUT", "DELETE"}) {
            for (byte[] body : new byte[][] {{'b'}, null}) {
                try (DroppingServer server = new DroppingServer()) {
                    byte[] first = "first".getBytes(StandardCharsets.ISO_8859_1);
                    equal(200L, phone.done(18, request("POST", server.port(), first, 100, 5000)).number());
                    equal("java.net.SocketException", phone.run(18, request(method, server.port(), body, 100, 5000))
                            .classes().get(0));
                    equal(List.of("POST first", method + " " + (body == null ? "" : "b")), server.seen);
                }
            }
        }
    }

    @Test("a redirect is an answer, not followed")
    void redirect() throws IOException {
        int[] requests = new int[1];
        HttpServer server = server(exchange -> {
            requests[0]++;
            exchange.getResponseHeaders().add("Location", "/elsewhere");
            exchange.sendResponseHeaders(302, -1);
        });
        try {
            equal(302L, phone.done(18, request("GET", server.getAddress().getPort(), null, 100, 5000)).number());
            equal(1, requests[0]);
        } finally {
            server.stop(0);
        }
    }

    @Test("of an answer, one byte more than the limit is read, and the rest is not")
    void limit() throws IOException {
        HttpServer server = server(exchange -> {
            exchange.sendResponseHeaders(200, 0);
            exchange.getResponseBody().write(new byte[100_000]);
        });
        try {
            for (int limit : new int[] {0, 99, 99_999, 100_000, 200_000}) {
                Message.Reader answer = phone.done(18, request("GET", server.getAddress().getPort(), null, limit, 5000));
                answer.number();
                for (long left = 2 * answer.number(); left > 0; left--) {
                    answer.text();
                }
                equal(Math.min(limit + 1, 100_000), answer.bytes().length);
            }
        } finally {
            server.stop(0);
        }
    }

    @Test("an answer that drips ends when it is cancelled")
    void drip() throws IOException, InterruptedException {
        CountDownLatch drips = new CountDownLatch(20);
        CountDownLatch stop = new CountDownLatch(1);
        HttpServer server = server(exchange -> {
            exchange.sendResponseHeaders(200, 0);
            try {
                while (!stop.await(20, TimeUnit.MILLISECONDS)) {
                    exchange.getResponseBody().write(1);
                    exchange.getResponseBody().flush();
                    drips.countDown();
                }
            } catch (InterruptedException interrupted) {
                throw new IOException(interrupted);
            }
        });
        try {
            // It takes longer than any piece of it may.
            long id = phone.begin(18, request("GET", server.getAddress().getPort(), null, 1000, 200));
            check(drips.await(60, TimeUnit.SECONDS), "the server drips");
            phone.cancel(id);
            equal(List.of("java.io.InterruptedIOException"), phone.next(id).classes());
        } finally {
            stop.countDown();
            server.stop(0);
        }
    }

    @Test("a cancelled exchange disconnects and says so once, while it runs and while it waits for a thread")
    void cancel() throws IOException {
        try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            long[] ids = new long[6];
            for (int index = 0; index < ids.length; index++) {
                ids[index] = phone.begin(18, request("GET", silent.getLocalPort(), null, 100, 60_000));
            }
            for (long id : ids) {
                phone.cancel(id);
            }
            for (long id : ids) {
                equal(List.of("java.io.InterruptedIOException"), phone.next(id).classes());
                phone.silent(id);
            }
        }
    }

    @Test("a server that is silent, a port that is closed, another scheme and a bad address are thrown with their classes")
    void failures() throws IOException {
        try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            equal(
                    "java.net.SocketTimeoutException",
                    phone.run(18, request("GET", silent.getLocalPort(), null, 100, 50)).classes().get(0));
        }
        int closed;
        try (ServerSocket socket = new ServerSocket(0)) {
            closed = socket.getLocalPort();
        }
        equal("java.net.ConnectException", phone.run(18, request("GET", closed, null, 100, 5000)).classes().get(0));
        Message.Writer file = new Message.Writer()
                .text("GET").text("file:///etc/passwd").number(0).bytes(null).number(9).number(5000);
        equal("java.lang.ClassCastException", phone.run(18, file).classes().get(0));
        Message.Writer bad = new Message.Writer().text("GET").text("nonsense").number(0).bytes(null).number(9).number(9);
        equal("java.lang.IllegalArgumentException", phone.run(18, bad).classes().get(0));
    }
}
