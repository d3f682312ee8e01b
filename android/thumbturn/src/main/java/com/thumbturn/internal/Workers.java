package com.thumbturn.internal;

import android.content.Context;
import android.os.Handler;
import android.os.Looper;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** The threads that operations run on. */
final class Workers {
    private static final int REQUESTS_AT_ONCE = 4;
    private static final long IDLE_SECONDS = 30;

    /** The main thread: prompts and lifecycle. Nothing that waits runs here. */
    final Executor main;

    /** One thread for the Keystore: makers' implementations mishandle concurrent operations, and StrongBox takes seconds. */
    final Executor keystore = pool("thumbturn-keystore", 1);

    /** One thread for short questions to the system, which must not wait behind the Keystore or the network. */
    final Executor system = pool("thumbturn-system", 1);

    /** Several exchanges with servers at once. */
    final Executor network = pool("thumbturn-network", REQUESTS_AT_ONCE);

    /** One thread to close connections: that may itself use the network, which the thread that cancels must not wait for. */
    final Executor closing = pool("thumbturn-closing", 1);

    private final Handler handler = new Handler(Looper.getMainLooper());

    Workers(Context context) {
        main = context.getMainExecutor();
    }

    /** Runs the task on the main thread after the delay. */
    void onMainAfter(long milliseconds, Runnable task) {
        handler.postDelayed(task, milliseconds);
    }

    private static Executor pool(String name, int threads) {
        ThreadPoolExecutor pool = new ThreadPoolExecutor(
                threads, threads, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> new Thread(task, name));
        pool.allowCoreThreadTimeOut(true);
        return pool;
    }
}
