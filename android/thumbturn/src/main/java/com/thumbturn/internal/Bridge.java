package com.thumbturn.internal;

import android.content.Context;

/**
 * The boundary between Swift and Java: Swift begins operations, Java answers them, and calls Swift in the same form.
 *
 * <p>Java decides nothing: it runs single operations of Android and reports raw codes and exception class names.
 */
public final class Bridge {
    /** The kind of a call's last answer that succeeded. */
    public static final int DONE = Answer.DONE;
    /** The kind of a call's last answer that is a failure. */
    public static final int FAILED = Answer.THREW;
    /** The kind of an answer with more to come. */
    public static final int NEWS = Answer.NEWS;

    private static final int ANSWER_TO_A_CALL = 0;

    /** Receives each answer to one call, on any thread, and wipes the fields once it has read them. */
    public interface Receiver {
        void received(int kind, Message.Reader fields);
    }

    /** Swift in the native library. */
    static final SwiftSide NATIVE = new SwiftSide() {
        @Override
        public void answer(long id, byte[] message) {
            Bridge.answer(id, message);
        }

        @Override
        public void call(long id, int operation, byte[] request) {
            Bridge.call(id, operation, request);
        }
    };

    private static final Calls CALLS = new Calls();

    private static volatile SwiftSide swift = NATIVE;

    @Nullable
    private static volatile Operations operations;

    private Bridge() {}

    /** Loads Swift, and takes the app's context. */
    public static synchronized void start(Context context) {
        if (swift == NATIVE) {
            System.loadLibrary("ThumbturnJNI");
        }
        install(context);
    }

    /** Takes the app's context; must come before the first operation, on any thread. A second call changes nothing. */
    public static synchronized void install(Context context) {
        if (operations == null) {
            operations = new Operations(context.getApplicationContext());
        }
    }

    /** Begins an operation and returns at once; whatever it throws becomes its last answer. The request is wiped. */
    public static void begin(long id, int operation, byte[] request) {
        if (operation == ANSWER_TO_A_CALL) {
            CALLS.answered(id, request);
            return;
        }
        Answer answer = new Answer(id, swift);
        Message.Reader fields = new Message.Reader(request);
        try {
            Operations installed = operations;
            if (installed == null) {
                throw new IllegalStateException("Bridge.install was not called");
            }
            installed.begin(operation, fields, answer);
        } catch (Throwable thrown) {
            answer.threw(thrown);
        } finally {
            fields.wipe();
        }
    }

    /** Calls Swift; returns the call's id. The request is wiped. */
    public static long call(int operation, Message.Writer request, Receiver receiver) {
        return CALLS.start(swift, operation, request, receiver);
    }

    /** Puts another side in Swift's place, or Swift back into it, and forgets the installed context. */
    static synchronized void resetForTests(SwiftSide replacement) {
        swift = replacement;
        operations = null;
    }

    private static native void answer(long id, byte[] message);

    private static native void call(long id, int operation, byte[] request);
}
