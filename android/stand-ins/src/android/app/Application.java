package android.app;

import android.content.ContextWrapper;
import android.os.Bundle;
import com.thumbturn.fake.FakeAndroid;

public class Application extends ContextWrapper {
    public Application() {
        super(null);
    }

    public void registerActivityLifecycleCallbacks(ActivityLifecycleCallbacks callback) {
        FakeAndroid.now().activities.register(callback);
    }

    public interface ActivityLifecycleCallbacks {
        void onActivityCreated(Activity activity, Bundle savedInstanceState);

        void onActivityStarted(Activity activity);

        void onActivityResumed(Activity activity);

        void onActivityPaused(Activity activity);

        void onActivityStopped(Activity activity);

        void onActivitySaveInstanceState(Activity activity, Bundle outState);

        void onActivityDestroyed(Activity activity);
    }
}
