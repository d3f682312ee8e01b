package com.thumbturn.internal;

import android.os.Build;
import androidx.annotation.RequiresApi;
import java.util.Arrays;

/**
 * The answers to one operation: any number of news, then exactly one last answer.
 *
 * <p>Callbacks of the system may race with cancellation on other threads. Sending under the lock keeps news from following the
 * last answer. Swift copies what it is handed.
 */
final class Answer {
    static final int DONE = 0;
    static final int THREW = 1;
    static final int NEWS = 2;

    /** Causes reported of one exception; a chain may be circular. */
    private static final int CAUSES = 8;

    private final long id;
    private final SwiftSide swift;
    private boolean ended;

    Answer(long id, SwiftSide swift) {
        this.id = id;
        this.swift = swift;
    }

    long id() {
        return id;
    }

    synchronized void news(Message.Writer fields) {
        send(NEWS, fields);
    }

    void done() {
        done(new Message.Writer());
    }

    void done(Message.Writer fields) {
        end(DONE, fields);
    }

    void threw(Throwable thrown) {
        Message.Writer causes = new Message.Writer();
        int count = 0;
        for (Throwable cause = thrown; cause != null && count < CAUSES; cause = cause.getCause()) {
            causes.text(cause.getClass().getName());
            if (Build.VERSION.SDK_INT >= 33) {
                keystoreDetail(cause, causes);
            } else {
                causes.number(-1).flag(false);
            }
            count++;
        }
        end(THREW, new Message.Writer().number(count).fields(causes));
    }

    @RequiresApi(33)
    private static void keystoreDetail(Throwable cause, Message.Writer to) {
        if (cause instanceof android.security.KeyStoreException) {
            android.security.KeyStoreException keystore = (android.security.KeyStoreException) cause;
            to.number(keystore.getNumericErrorCode()).flag(keystore.isTransientFailure());
        } else {
            to.number(-1).flag(false);
        }
    }

    private synchronized void end(int kind, Message.Writer fields) {
        send(kind, fields);
        ended = true;
    }

    /** Hands the fields to Swift unless the operation has ended, and wipes them: they may hold secrets. */
    private void send(int kind, Message.Writer fields) {
        Message.Writer whole = new Message.Writer().number(kind).fields(fields);
        byte[] message = whole.toBytes();
        fields.wipe();
        whole.wipe();
        if (!ended) {
            swift.answer(id, message);
        }
        Arrays.fill(message, (byte) 0);
    }
}
