package com.facebook.react.bridge;

import android.content.ContextWrapper;

public abstract class ReactApplicationContext extends ContextWrapper {
    protected ReactApplicationContext() {
        super(null);
    }

    public boolean runOnUiQueueThread(Runnable runnable) {
        return true;
    }
}
