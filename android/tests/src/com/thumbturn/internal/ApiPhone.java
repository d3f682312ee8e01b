package com.thumbturn.internal;

import com.thumbturn.Authenticator;
import com.thumbturn.Thumbturn;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** An app on a fresh phone, and the double of the Swift side that answers its calls by hand. */
final class ApiPhone {
    static final long DEVICE = 1;
    static final long ACCOUNT = 2;
    static final String SERVER = "https://id.example";

    final Phone phone;

    ApiPhone(int level) {
        phone = new Phone(level);
    }

    Thumbturn open(Thumbturn.Options options) {
        return Thumbturn.open(phone.android.application, options);
    }

    /** An authenticator that is open. */
    Authenticator authenticator() {
        Authenticator authenticator = open(Thumbturn.Options.DEFAULT).authenticator(SERVER);
        CompletableFuture<Void> first = authenticator.revoke();
        answerOpening();
        done(call(31), new Message.Writer());
        result(first);
        return authenticator;
    }

    void answerOpening() {
        done(call(3), new Message.Writer().number(DEVICE));
        done(call(4), new Message.Writer().number(ACCOUNT));
    }

    /** The call that the app made last, which has to be of this operation. */
    Phone.Call call(int operation) {
        try {
            Phone.Call call = phone.calls.poll(10, TimeUnit.SECONDS);
            Phone.check(call != null, "no call came");
            Phone.equal(operation, call.operation());
            return call;
        } catch (InterruptedException interrupted) {
            throw new IllegalStateException(interrupted);
        }
    }

    void silent() {
        phone.android.main.settle();
        Phone.check(phone.calls.isEmpty(), "a call came that should not have");
    }

    void done(Phone.Call call, Message.Writer fields) {
        answer(call, Bridge.DONE, fields);
    }

    void news(Phone.Call call, Message.Writer fields) {
        answer(call, Bridge.NEWS, fields);
        phone.android.main.settle();
    }

    void failed(Phone.Call call, Message.Writer failure) {
        answer(call, Bridge.FAILED, failure);
    }

    private void answer(Phone.Call call, int kind, Message.Writer fields) {
        phone.begin(call.id(), 0, new Message.Writer().number(kind).fields(fields));
    }

    static Message.Writer failure(String code, String step) {
        return new Message.Writer()
                .text(code).text(step).text(null).bytes(null).text("Text").text("Button").text(null).text(null).bytes(null);
    }

    static Message.Writer grant(String rung) {
        return new Message.Writer().text(rung).text("token").number(60);
    }

    /** The value of a future, once the main thread has done what was due. */
    <T> T result(CompletableFuture<T> future) {
        phone.android.main.settle();
        try {
            return future.get(10, TimeUnit.SECONDS);
        } catch (InterruptedException | TimeoutException | ExecutionException problem) {
            throw new IllegalStateException(problem);
        }
    }

    /** What a future failed with. */
    Throwable problem(CompletableFuture<?> future) {
        phone.android.main.settle();
        try {
            throw new AssertionError("a failure was expected, found " + future.get(10, TimeUnit.SECONDS));
        } catch (ExecutionException failed) {
            return failed.getCause();
        } catch (InterruptedException | TimeoutException problem) {
            throw new IllegalStateException(problem);
        }
    }
}
