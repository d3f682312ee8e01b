package com.thumbturn.internal;

import android.app.Activity;
import android.app.ActivityManager;
import android.app.Application;
import android.os.Bundle;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * Whether the app is in front, inactive or in the background, told by its activities. All on the main thread.
 *
 * <p>A rotation pauses, stops and destroys an activity and creates, starts and resumes its successor, which may be created before
 * the old one is destroyed. Until the successor is resumed the phase stays what it was. A successor that finishes while it is
 * created never is: it is only destroyed, without a successor of its own, and the phase is told then. Where another activity is in
 * front meanwhile, its own pause is told: each pause and stop decides anew whether a successor follows.
 */
final class Phases implements Application.ActivityLifecycleCallbacks {
    static final int FRONT = 1;
    static final int INACTIVE = 2;
    static final int BACKGROUND = 3;

    private final Set<Activity> started = Collections.newSetFromMap(new IdentityHashMap<>());
    private final Set<Activity> resumed = Collections.newSetFromMap(new IdentityHashMap<>());
    private final Map<Long, Answer> listeners = new LinkedHashMap<>();
    private int phase;

    /** Whether the activity that was paused or stopped last is being replaced. */
    private boolean rotating;

    Phases(Application application) {
        phase = phaseOfProcess();
        application.registerActivityLifecycleCallbacks(this);
    }

    /** Tells the present phase and then each change, until cancelled. */
    void add(Answer answer) {
        listeners.put(answer.id(), answer);
        answer.news(new Message.Writer().number(phase));
    }

    void cancel(long id) {
        Answer answer = listeners.remove(id);
        if (answer != null) {
            answer.done();
        }
    }

    @Override
    public void onActivityStarted(Activity activity) {
        started.add(activity);
        tell();
    }

    @Override
    public void onActivityResumed(Activity activity) {
        rotating = false;
        started.add(activity);
        resumed.add(activity);
        tell();
    }

    @Override
    public void onActivityPaused(Activity activity) {
        rotating = activity.isChangingConfigurations();
        // An activity that was in front before this object existed is met here for the first time, and is still started.
        started.add(activity);
        resumed.remove(activity);
        tell();
    }

    @Override
    public void onActivityStopped(Activity activity) {
        rotating = activity.isChangingConfigurations();
        started.remove(activity);
        tell();
    }

    @Override
    public void onActivityDestroyed(Activity activity) {
        boolean wasMet = started.remove(activity) | resumed.remove(activity);
        boolean endsRotation = rotating && !activity.isChangingConfigurations();
        if (endsRotation) {
            rotating = false;
        }
        // An old activity that was never met tells nothing of the one in front, which may not have been met either.
        if (wasMet || endsRotation) {
            tell();
        }
    }

    @Override
    public void onActivityCreated(Activity activity, @Nullable Bundle state) {}

    @Override
    public void onActivitySaveInstanceState(Activity activity, Bundle state) {}

    private void tell() {
        if (rotating) {
            return;
        }
        int now = !resumed.isEmpty() ? FRONT : !started.isEmpty() ? INACTIVE : BACKGROUND;
        if (now != phase) {
            phase = now;
            for (Answer answer : new ArrayList<>(listeners.values())) {
                answer.news(new Message.Writer().number(phase));
            }
        }
    }

    /** The phase before the first callback: the library may be installed while an activity is already in front. */
    private static int phaseOfProcess() {
        ActivityManager.RunningAppProcessInfo process = new ActivityManager.RunningAppProcessInfo();
        ActivityManager.getMyMemoryState(process);
        return switch (process.importance) {
            case ActivityManager.RunningAppProcessInfo.IMPORTANCE_FOREGROUND -> FRONT;
            case ActivityManager.RunningAppProcessInfo.IMPORTANCE_VISIBLE -> INACTIVE;
            default -> BACKGROUND;
        };
    }
}
