package com.thumbturn.fake;

import java.util.PriorityQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/** The main thread: a queue of tasks, ordered by a virtual time that stands still until it is advanced. */
public final class FakeMain {
    private static final class Task implements Comparable<Task> {
        final long due;
        final long order;
        final Runnable work;

        Task(long due, long order, Runnable work) {
            this.due = due;
            this.order = order;
            this.work = work;
        }

        @Override
        public int compareTo(Task other) {
            return due != other.due ? Long.compare(due, other.due) : Long.compare(order, other.order);
        }
    }

    private final PriorityQueue<Task> tasks = new PriorityQueue<>();
    private final Thread thread = new Thread(this::loop, "main");
    private long time = 1_000_000;
    private long tasksPosted;
    private boolean ended;

    /** The first exception that a task threw: on a phone it would have ended the app. */
    public volatile Throwable crash;

    void begin() {
        thread.setDaemon(true);
        thread.start();
    }

    synchronized void quit() {
        ended = true;
        notifyAll();
    }

    public boolean isCurrentThread() {
        return Thread.currentThread() == thread;
    }

    public synchronized long time() {
        return time;
    }

    public void post(Runnable work) {
        postAfter(0, work);
    }

    public synchronized void postAfter(long delay, Runnable work) {
        tasks.add(new Task(time + delay, tasksPosted++, work));
        notifyAll();
    }

    /** Moves time on and runs what is due, in the order of its time. */
    public void advance(long milliseconds) {
        long end = time() + milliseconds;
        settle();
        while (true) {
            synchronized (this) {
                Task next = tasks.peek();
                if (next == null || next.due > end) {
                    time = end;
                    break;
                }
                time = Math.max(time, next.due);
                notifyAll();
            }
            settle();
        }
    }

    /** Waits until everything that was due has run. */
    public void settle() {
        run(() -> {});
    }

    /** Runs the work on the main thread, after all that is due, and waits for it; what it throws, this throws. */
    public void run(Runnable work) {
        if (isCurrentThread()) {
            work.run();
            return;
        }
        FutureTask<Void> task = new FutureTask<>(work, null);
        post(task);
        try {
            task.get();
        } catch (InterruptedException interrupted) {
            throw new IllegalStateException(interrupted);
        } catch (ExecutionException thrown) {
            crash = crash == null ? thrown.getCause() : crash;
            throw new IllegalStateException(thrown.getCause());
        }
    }

    private void loop() {
        while (true) {
            Task task;
            synchronized (this) {
                while (!ended && (tasks.isEmpty() || tasks.peek().due > time)) {
                    try {
                        wait();
                    } catch (InterruptedException interrupted) {
                        return;
                    }
                }
                if (ended) {
                    return;
                }
                task = tasks.remove();
            }
            try {
                task.work.run();
            } catch (Throwable thrown) {
                if (crash == null) {
                    crash = thrown;
                }
            }
        }
    }
}
