var t=()=>null,o=()=>!1;export{t as a,o as b};
