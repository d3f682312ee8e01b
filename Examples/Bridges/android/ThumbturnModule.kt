package com.example.bridge

import com.facebook.react.ReactPackage
import com.facebook.react.bridge.*
import com.facebook.react.uimanager.ViewManager

/** The module for React Native. */
class ThumbturnModule(context: ReactApplicationContext) : ReactContextBaseJavaModule(context) {
    private val calls = ThumbturnCalls(context)

    override fun getName() = "Thumbturn"
    override fun invalidate() { reactApplicationContext.runOnUiQueueThread { calls.close() } }

    @ReactMethod
    fun call(name: String, json: String, promise: Promise) {
        reactApplicationContext.runOnUiQueueThread {
            calls.call(name, json, promise::resolve) { code, text, details ->
                promise.reject(code, text, Arguments.createMap().apply { putString("details", details) })
            }
        }
    }
}

class ThumbturnPackage : ReactPackage {
    override fun createNativeModules(context: ReactApplicationContext): List<NativeModule> = listOf(ThumbturnModule(context))
    override fun createViewManagers(context: ReactApplicationContext): List<ViewManager<*, *>> = emptyList()
}
