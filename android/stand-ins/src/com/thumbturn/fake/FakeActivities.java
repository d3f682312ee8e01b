package com.thumbturn.fake;

import android.app.Activity;
import android.app.Application;
import android.os.Bundle;
import java.util.List;
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

    private void tell(Consumer<Application.ActivityLifecycleCallbacks> event) {
        android.main.run(() -> callbacks.forEach(event));
    }
}
