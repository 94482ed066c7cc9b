// found through the include folder
