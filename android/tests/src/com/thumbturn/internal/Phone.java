package com.thumbturn.internal;

import com.thumbturn.fake.FakeAndroid;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A fresh phone with the bridge installed, and Swift's side of it. */
final class Phone implements SwiftSide {
    static final int[] LEVELS = {28, 29, 30, 31, 32, 33, 34, 35, 36};
    static final String ALIAS = "thumbturn.key.5Jd0.1.biometric";

    /** Swift's call that Java made last. */
    record Call(long id, int operation, byte[] request) {}

    final FakeAndroid android;
    private final Map<Long, BlockingQueue<Reply>> replies = new ConcurrentHashMap<>();
    final BlockingQueue<Call> calls = new LinkedBlockingQueue<>();

    /** The very arrays that crossed the bridge, in both directions. */
    final Queue<byte[]> crossed = new ConcurrentLinkedQueue<>();

    private long lastID;

    Phone(int level) {
        android = FakeAndroid.start(level);
        Bridge.resetForTests(this);
        Bridge.install(android.application);
    }

    @Override
    public void answer(long id, byte[] message) {
        // Messages are wiped once they were handed over.
        crossed.add(message);
        queue(id).add(new Reply(message.clone()));
    }

    @Override
    public void call(long id, int operation, byte[] request) {
        crossed.add(request);
        calls.add(new Call(id, operation, request.clone()));
    }

    /** Begins an operation and returns its id. */
    long begin(int operation, Message.Writer request) {
        long id = ++lastID;
        begin(id, operation, request);
        return id;
    }

    /** Begins an operation, or answers a call, as Swift does. */
    void begin(long id, int operation, Message.Writer request) {
        byte[] message = request.toBytes();
        crossed.add(message);
        Bridge.begin(id, operation, message);
    }

    /** Asserts that nothing is left in the arrays that have crossed the bridge. */
    void checkWiped() {
        List<byte[]> before = new ArrayList<>(crossed);
        settleKeystore();
        for (byte[] message : before) {
            check(Arrays.equals(new byte[message.length], message), "a message was not wiped");
        }
    }

    /** The next answer to the operation. */
    Reply next(long id) {
        try {
            Reply reply = queue(id).poll(10, TimeUnit.SECONDS);
            return Objects.requireNonNull(reply, "no answer within 10 seconds");
        } catch (InterruptedException interrupted) {
            throw new IllegalStateException(interrupted);
        }
    }

    /** Asserts that all that was due has run and brought no answer for the operation. */
    void silent(long id) {
        android.main.settle();
        check(queue(id).isEmpty(), "an answer came that should not have");
    }

    Reply run(int operation, Message.Writer request) {
        return next(begin(operation, request));
    }

    Message.Reader done(int operation, Message.Writer request) {
        return run(operation, request).done();
    }

    // Keys.

    Reply create(String alias, KeyKind kind, byte[] challenge) {
        return run(6, new Message.Writer().text(alias).number(kind.ordinal() + 1).bytes(challenge));
    }

    void createKey(KeyKind kind) {
        create(ALIAS, kind, null).done();
    }

    Reply probe(int use) {
        return run(8, new Message.Writer().text(ALIAS).number(use).bytes(null));
    }

    byte[] publicKey() {
        return done(9, new Message.Writer().text(ALIAS)).bytes();
    }

    // Prompts.

    /** Begins a prompt and waits until it is on the screen. */
    long prompt(int rung, String alias, int use) {
        int before = android.promptsShown;
        long id = beginPrompt(rung, alias, use);
        settleKeystore();
        check(android.promptsShown == before + 1, "no prompt was shown");
        return id;
    }

    long beginPrompt(int rung, String alias, int use) {
        return begin(2, new Message.Writer()
                .number(rung)
                .text("Acme")
                .text("Unlock Acme")
                .text(rung == 1 ? "Use PIN" : null)
                .text(alias)
                .number(use)
                .bytes(null)
                .flag(false));
    }

    /** Waits for what the Keystore's worker has to do, and what that posts to the main thread. */
    void settleKeystore() {
        done(7, new Message.Writer().text("none"));
        android.main.settle();
    }

    void cancel(long id) {
        done(3, new Message.Writer().number(id));
    }

    void error(long id, int code) {
        Message.Reader fields = next(id).done();
        equal(2L, fields.number());
        equal((long) code, fields.number());
        fields.end();
    }

    /** The success of a prompt: the authentication type, and the handle or 0. */
    record Success(long type, long handle) {}

    Success success(long id) {
        Message.Reader fields = next(id).done();
        equal(1L, fields.number());
        Success success = new Success(fields.number(), fields.number());
        equal(null, fields.bytesOrNull());
        fields.end();
        return success;
    }

    byte[] use(long handle, byte[] bytes) {
        return done(4, new Message.Writer().number(handle).bytes(bytes)).bytes();
    }

    static void check(boolean condition, String otherwise) {
        if (!condition) {
            throw new AssertionError(otherwise);
        }
    }

    static void equal(Object expected, Object found) {
        if (!Objects.equals(expected, found)) {
            throw new AssertionError("expected " + expected + ", found " + found);
        }
    }

    private BlockingQueue<Reply> queue(long id) {
        return replies.computeIfAbsent(id, key -> new LinkedBlockingQueue<>());
    }
}
