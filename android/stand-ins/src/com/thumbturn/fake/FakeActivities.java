package com.thumbturn.fake;

import android.app.Activity;
import android.app.Application;
import android.os.Bundle;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** The app's activities and the callbacks about them. */
public final class FakeActivities {
    /** An activity of the app. */
    public static final class FakeActivity extends Activity {
        private boolean changing;

        @Override
        public boolean isChangingConfigurations() {
            return changing;
        }
    }

    private final List<Application.ActivityLifecycleCallbacks> callbacks = new CopyOnWriteArrayList<>();
    private final FakeAndroid android;
    private final Map<String, FakeActivity> activities = new HashMap<>();
    private FakeActivity activity = new FakeActivity();

    FakeActivities(FakeAndroid android) {
        this.android = android;
    }

    public void register(Application.ActivityLifecycleCallbacks callback) {
        callbacks.add(callback);
    }

    /** The person opens the app. */
    public void open() {
        activity = new FakeActivity();
        tell(callback -> callback.onActivityCreated(activity, null));
        toFront();
    }

    public void toFront() {
        tell(callback -> callback.onActivityStarted(activity));
        resume();
    }

    public void resume() {
        tell(callback -> callback.onActivityResumed(activity));
    }

    /** Something covers the activity, which stays visible. */
    public void pause() {
        tell(callback -> callback.onActivityPaused(activity));
    }

    public void toBack() {
        pause();
        tell(callback -> callback.onActivityStopped(activity));
        tell(callback -> callback.onActivitySaveInstanceState(activity, new Bundle()));
    }

    /** The old activity is destroyed and a new one takes its place, all without a pause between. */
    public void rotate() {
        android.main.run(() -> {
            activity.changing = true;
            toBack();
            tell(callback -> callback.onActivityDestroyed(activity));
            open();
        });
    }

    /**
     * Tells callbacks one by one: "paused one", or "paused one changing" where a successor follows. An activity is made when it is
     * first named.
     */
    public void play(String... events) {
        for (String event : events) {
            String[] words = event.split(" ");
            FakeActivity named = named(words[1]);
            named.changing = words.length > 2;
            switch (words[0]) {
                case "created" -> tell(callback -> callback.onActivityCreated(named, null));
                case "started" -> tell(callback -> callback.onActivityStarted(named));
                case "resumed" -> tell(callback -> callback.onActivityResumed(named));
                case "paused" -> tell(callback -> callback.onActivityPaused(named));
                case "stopped" -> tell(callback -> callback.onActivityStopped(named));
                case "destroyed" -> tell(callback -> callback.onActivityDestroyed(named));
                default -> throw new IllegalArgumentException("no such callback: " + event);
            }
        }
    }

    private FakeActivity named(String name) {
        return activities.computeIfAbsent(name, key -> new FakeActivity());
    }

    private void tell(Consumer<Application.ActivityLifecycleCallbacks> event) {
        android.main.run(() -> callbacks.forEach(event));
    }
}
