package com.thumbturn.internal;

import android.content.Context;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Shows prompts and cancels them. */
final class BiometricGate {
    private final Context context;
    private final Workers workers;
    private final KeystoreKeys keys;
    private final Handles handles;
    private final Map<Long, Prompt> open = new ConcurrentHashMap<>();

    /** The context is the application's, so that a prompt outlives the activity that a rotation destroys. */
    BiometricGate(Context context, Workers workers, KeystoreKeys keys, Handles handles) {
        this.context = context;
        this.workers = workers;
        this.keys = keys;
        this.handles = handles;
    }

    /** Begins the key's operation on the Keystore's worker, then shows the prompt on the main thread. */
    void begin(PromptRequest request, Answer answer) {
        Prompt prompt = new Prompt(context, request, answer, handles, () -> open.remove(answer.id()));
        open.put(answer.id(), prompt);
        // The timer holds the prompt's id only, and ids are never used again.
        long id = answer.id();
        workers.onMainAfter(Prompt.LONGEST, () -> cancel(id));
        if (request.alias == null || request.use == null) {
            workers.main.execute(() -> prompt.show(null));
            return;
        }
        workers.keystore.execute(() -> {
            try {
                Object operation = keys.begin(request.alias, request.use, request.iv);
                workers.main.execute(() -> prompt.show(operation));
            } catch (Throwable thrown) {
                workers.main.execute(() -> prompt.threw(thrown));
            }
        });
    }

    /** Cancels a prompt that is open, or about to be; for any other id it does nothing. */
    void cancel(long id) {
        Prompt prompt = open.get(id);
        if (prompt != null) {
            workers.main.execute(prompt::cancel);
            workers.onMainAfter(Prompt.SILENCE_AFTER_CANCEL, prompt::silent);
        }
    }
}
