package com.thumbturn.fake;

import android.os.Build;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * One phone behind the stand-ins: its level, sensor, lock screen, Keystore, screen and activities.
 *
 * <p>Time is virtual: it moves by {@link #tell} ("advance 2000") only. A phone is replaced whole by {@link #start}.
 */
public final class FakeAndroid {
    private static volatile FakeAndroid current;

    public final FakeMain main = new FakeMain();
    public final FakeSensor sensor = new FakeSensor(this);
    public final FakeKeystore keystore = new FakeKeystore(this);
    public final FakeActivities activities = new FakeActivities(this);
    public final FakeApplication application = new FakeApplication();

    /** System features, as PackageManager names them. */
    public final Set<String> features = Collections.synchronizedSet(new HashSet<>());

    /** The actions of the intents that were started. */
    public final List<android.content.Intent> started = Collections.synchronizedList(new ArrayList<>());

    /** Actions of settings that this phone lacks. */
    public final Set<String> absentActivities = Collections.synchronizedSet(new HashSet<>());

    /** What prompts to come will do by themselves, in the words of {@link FakePrompt#step}. */
    final Deque<String[]> scripts = new ArrayDeque<>();

    /** The prompts on the screen, oldest first. */
    final List<FakePrompt> onScreen = Collections.synchronizedList(new ArrayList<>());

    /** How many prompts were ever shown. */
    public volatile int promptsShown;

    /** The prompt that was shown last. */
    volatile FakePrompt last;

    public volatile boolean locked;
    public volatile boolean unlockedSinceBoot = true;
    public volatile boolean touchExploration;
    public volatile int importance = 100;

    private FakeAndroid() {}

    /** Starts a new phone of this API level; the old one's main thread ends. */
    public static synchronized FakeAndroid start(int level) {
        if (current != null) {
            current.main.quit();
        }
        Build.VERSION.SDK_INT = level;
        current = new FakeAndroid();
        current.features.add("android.hardware.fingerprint");
        current.main.begin();
        FakeProvider.register();
        return current;
    }

    public static FakeAndroid now() {
        return current;
    }

    public static int level() {
        return Build.VERSION.SDK_INT;
    }

    /** Ends as a call of a member that this level lacks would. */
    public static void since(int first) {
        if (Build.VERSION.SDK_INT < first) {
            throw new NoSuchMethodError("since level " + first + ", called on level " + Build.VERSION.SDK_INT);
        }
    }

    /** Keeps the compiler from copying a value into the classes that read it. */
    public static String text(String value) {
        return value;
    }

    /** The prompt on the screen that was shown last, or null. */
    public FakePrompt prompt() {
        synchronized (onScreen) {
            return onScreen.isEmpty() ? null : onScreen.get(onScreen.size() - 1);
        }
    }

    /** Lets the next prompt do these steps by itself when it is shown. */
    public synchronized void script(String... steps) {
        scripts.add(steps);
    }

    synchronized String[] nextScript() {
        return scripts.isEmpty() ? new String[0] : scripts.remove();
    }

    /**
     * Does one thing that a person or the system does, and returns once it has happened.
     *
     * <p>Tests in other languages drive this phone with these commands; an unknown one is an {@link IllegalArgumentException}.
     */
    public static String tell(String command) {
        return FakeCommands.run(current, command);
    }
}
