package com.thumbturn.internal;

import android.app.Application;
import android.content.Context;
import java.util.Arrays;
import java.util.concurrent.Executor;

/** Starts each operation of the bridge on the thread where it belongs. */
final class Operations {
    // The numbers of the contract with Swift.
    private static final int FACTS = 1;
    private static final int PROMPT = 2;
    private static final int CANCEL = 3;
    private static final int USE_HANDLE = 4;
    private static final int RELEASE_HANDLE = 5;
    private static final int CREATE_KEY = 6;
    private static final int KEY_EXISTS = 7;
    private static final int PROBE_KEY = 8;
    private static final int PUBLIC_KEY = 9;
    private static final int DELETE_KEY = 10;
    private static final int DELETE_KEYS = 11;
    private static final int CERTIFICATE_CHAIN = 12;
    private static final int PHASES = 13;
    private static final int SIGN_NOW = 14;
    private static final int MAC = 15;
    private static final int ENCRYPT_NOW = 16;
    private static final int DECRYPT_NOW = 17;
    private static final int HTTP = 18;
    private static final int WRAP = 20;
    private static final int ENTER_PIN = Screens.ENTER_PIN;
    private static final int CHOOSE_PIN = Screens.CHOOSE_PIN;
    private static final int CREDENTIALS = Screens.CREDENTIALS;

    private final Workers workers;
    private final Context context;
    private final KeystoreKeys keys = new KeystoreKeys();
    private final Handles handles = new Handles();
    private final BiometricGate gate;
    private final Phases phases;
    private final Exchanges exchanges;
    private final Screens screens = new Screens();

    Operations(Context context) {
        this.context = context;
        workers = new Workers(context);
        gate = new BiometricGate(context, workers, keys, handles);
        phases = new Phases((Application) context);
        exchanges = new Exchanges(workers);
    }

    /** One operation's work: it returns the fields of the last answer. */
    private interface Work {
        Message.Writer run() throws Exception;
    }

    /** Reads the request before it returns: the caller wipes it then. */
    void begin(int operation, Message.Reader request, Answer answer) {
        switch (operation) {
            case FACTS -> run(workers.system, answer, () -> Facts.read(context));
            case PROMPT -> gate.begin(PromptRequest.read(request), answer);
            case CANCEL -> {
                long id = request.number();
                gate.cancel(id);
                exchanges.cancel(id);
                workers.main.execute(() -> {
                    phases.cancel(id);
                    screens.dismiss(id);
                });
                answer.done();
            }
            case USE_HANDLE -> {
                long handle = request.number();
                byte[] bytes = request.bytes();
                run(workers.keystore, answer, () -> new Message.Writer().wiping(handles.use(handle, bytes)), bytes);
            }
            case RELEASE_HANDLE -> {
                handles.release(request.number());
                answer.done();
            }
            case CREATE_KEY -> {
                String alias = request.text();
                KeyKind kind = KeyKind.of(request.number());
                byte[] challenge = request.bytesOrNull();
                run(workers.keystore, answer, () -> keys.create(alias, kind, challenge));
            }
            case KEY_EXISTS -> {
                String alias = request.text();
                run(workers.keystore, answer, () -> new Message.Writer().flag(keys.exists(alias)));
            }
            case PROBE_KEY -> {
                String alias = request.text();
                KeyUse use = KeyUse.of(request.number());
                byte[] iv = request.bytesOrNull();
                run(workers.keystore, answer, () -> new Message.Writer().flag(keys.probe(alias, use, iv)));
            }
            case PUBLIC_KEY -> {
                String alias = request.text();
                run(workers.keystore, answer, () -> new Message.Writer().bytes(keys.publicKey(alias)));
            }
            case DELETE_KEY -> {
                String alias = request.text();
                run(workers.keystore, answer, () -> {
                    keys.delete(alias);
                    return new Message.Writer();
                });
            }
            case DELETE_KEYS -> {
                String prefix = request.text();
                run(workers.keystore, answer, () -> new Message.Writer().number(keys.deleteAll(prefix)));
            }
            case CERTIFICATE_CHAIN -> {
                String alias = request.text();
                run(workers.keystore, answer, () -> keys.certificateChain(alias));
            }
            case PHASES -> workers.main.execute(() -> phases.add(answer));
            case SIGN_NOW -> {
                String alias = request.text();
                byte[] bytes = request.bytes();
                run(workers.keystore, answer, () -> new Message.Writer().bytes(keys.sign(alias, bytes)), bytes);
            }
            case MAC -> {
                String alias = request.text();
                byte[] bytes = request.bytes();
                run(workers.keystore, answer, () -> new Message.Writer().wiping(keys.mac(alias, bytes)), bytes);
            }
            case ENCRYPT_NOW -> {
                String alias = request.text();
                byte[] plain = request.bytes();
                run(workers.keystore, answer, () -> keys.encrypt(alias, plain), plain);
            }
            case DECRYPT_NOW -> {
                String alias = request.text();
                byte[] iv = request.bytes();
                byte[] bytes = request.bytes();
                run(workers.keystore, answer, () -> new Message.Writer().wiping(keys.decrypt(alias, iv, bytes)));
            }
            case HTTP -> exchanges.begin(HttpRequest.read(request), answer);
            case WRAP -> {
                byte[] spki = request.bytes();
                byte[] plain = request.bytes();
                run(workers.system, answer, () -> new Message.Writer().bytes(Oaep.wrap(spki, plain)), plain);
            }
            case ENTER_PIN, CHOOSE_PIN, CREDENTIALS -> {
                long screen = request.number();
                Message.Reader shown = request.rest();
                workers.main.execute(() -> screens.show(screen, operation, shown, answer));
            }
            default -> throw new IllegalArgumentException("there is no operation " + operation);
        }
    }

    /** Answers what the work returns. The secrets are wiped after the work. */
    private static void run(Executor worker, Answer answer, Work work, byte[]... secrets) {
        worker.execute(() -> {
            try {
                answer.done(work.run());
            } catch (Throwable thrown) {
                answer.threw(thrown);
            } finally {
                for (byte[] secret : secrets) {
                    Arrays.fill(secret, (byte) 0);
                }
            }
        });
    }
}
