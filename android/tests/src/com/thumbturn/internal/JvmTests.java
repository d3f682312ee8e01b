package com.thumbturn.internal;

import com.sun.net.httpserver.HttpServer;
import com.thumbturn.Authenticator;
import com.thumbturn.Failure;
import com.thumbturn.Readiness;
import com.thumbturn.Thumbturn;
import com.thumbturn.fake.FakeAndroid;
import java.io.IOException;
import java.lang.reflect.Field;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

/**
 * Runs the Swift library on this machine, through JNI and the bridge, over the fake phone: {@code JvmTests LIBRARY play FOLDER}
 * plays each scenario file of a folder and runs the library's own tests; {@code JvmTests LIBRARY trips NUMBER} calls back and forth
 * so often.
 */
public final class JvmTests {
    private static final String APP_FOLDER = System.getProperty("java.io.tmpdir") + "/no_backup";
    private static final int PASSED = 0;
    private static final int FAILED = 1;
    private static final int NOT_ON_ANDROID = 2;
    private static final int NO_SUCH_TEST = 3;

    /** How long a loaded machine may take for one call. */
    private static final int SECONDS = 60;

    private int failed;

    private JvmTests() {}

    /** Does a command of Swift's test library, and waits for it. */
    private static native int run(byte[] command);

    public static void main(String[] arguments) throws Exception {
        System.load(Path.of(arguments[0]).toAbsolutePath().toString());
        JvmTests tests = new JvmTests();
        switch (arguments[1]) {
            case "play" -> {
                int scenarios = tests.scenarios(Path.of(arguments[2]));
                int others = tests.others() + (tests.exchange() ? 1 : 0) + (tests.api() ? 1 : 0);
                System.out.println("jvm: " + others + " tests and " + scenarios + " scenarios passed, " + tests.failed + " failed");
            }
            case "trips" -> tests.passes("round trips", arguments[2], APP_FOLDER);
            default -> throw new IllegalArgumentException(arguments[1]);
        }
        System.exit(tests.failed == 0 ? 0 : 1);
    }

    /** Plays the scenarios of the folder; returns how many passed. */
    private int scenarios(Path folder) throws IOException, ReflectiveOperationException {
        List<Path> files;
        try (Stream<Path> all = Files.list(folder)) {
            files = all.filter(file -> file.toString().endsWith(".json")).sorted().toList();
        }
        int passed = 0;
        for (Path file : files) {
            passed += passes("scenario", file.toString(), APP_FOLDER) ? 1 : 0;
        }
        return passed;
    }

    /** Runs the library's own tests; returns how many passed. */
    private int others() throws ReflectiveOperationException {
        int passed = 0;
        for (int number = 0; ; number++) {
            int result = result("test", Integer.toString(number), APP_FOLDER);
            if (result == NO_SUCH_TEST) {
                return passed;
            }
            passed += result == PASSED ? 1 : 0;
        }
    }

    /** An exchange with a server on this machine. */
    private boolean exchange() throws IOException, ReflectiveOperationException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            int length = exchange.getRequestBody().readAllBytes().length;
            byte[] answer = (exchange.getRequestMethod() + " " + exchange.getRequestHeaders().getFirst("DPoP") + " " + length)
                    .getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().add("DPoP-Nonce", "n1");
            // Not 401: the JDK's own client drops the body of that where it has streamed the request. Android's does not.
            exchange.sendResponseHeaders(400, answer.length);
            exchange.getResponseBody().write(answer);
            exchange.close();
        });
        server.start();
        try {
            return passes("exchange", "http://127.0.0.1:" + server.getAddress().getPort() + "/v1/x");
        } finally {
            server.stop(0);
        }
    }

    private boolean passes(String... command) throws ReflectiveOperationException {
        return result(command) == PASSED;
    }

    /** Calls Swift as an app does: a phone that is not enrolled says so. */
    private boolean api() throws InterruptedException, TimeoutException, ExecutionException {
        JvmPhone.start(36);
        try (Thumbturn phone = Thumbturn.open(FakeAndroid.now().application, Thumbturn.Options.DEFAULT);
                Authenticator auth = phone.authenticator("https://bank.example")) {
            Readiness readiness = auth.readiness().get(SECONDS, TimeUnit.SECONDS);
            if (readiness.isEnrolled || !readiness.sensorState.equals("ready")) {
                return fails("api", readiness.sensorState);
            }
            try {
                auth.authenticate("Unlock").get(SECONDS, TimeUnit.SECONDS);
                return fails("api", "a grant without an enrolment");
            } catch (ExecutionException thrown) {
                boolean isRight = thrown.getCause() instanceof Failure failure && failure.code.equals(Failure.NOT_ENROLLED);
                return isRight || fails("api", thrown.getCause().toString());
            }
        }
    }

    private boolean fails(String what, String why) {
        failed++;
        System.out.println("FAILED " + what + ": " + why);
        return false;
    }

    /** Does a command, after which no operation that a prompt has authorised may be left. */
    private int result(String... command) throws ReflectiveOperationException {
        Message.Writer message = new Message.Writer();
        for (String text : command) {
            message.text(text);
        }
        int result = run(message.toBytes());
        if (result == NOT_ON_ANDROID || result == NO_SUCH_TEST) {
            return result;
        }
        int handles = handles();
        if (result == PASSED && handles == 0) {
            return PASSED;
        }
        fails(String.join(" ", command), handles == 0 ? "see above" : handles + " handles are left");
        return FAILED;
    }

    private static int handles() throws ReflectiveOperationException {
        Object operations = field(Bridge.class, "operations").get(null);
        Object handles = field(Operations.class, "handles").get(operations);
        return ((Map<?, ?>) field(Handles.class, "kept").get(handles)).size();
    }

    private static Field field(Class<?> type, String name) throws ReflectiveOperationException {
        Field field = type.getDeclaredField(name);
        field.setAccessible(true);
        return field;
    }
}
